import type { FastifyPluginAsync } from 'fastify'

import { addClientLimits } from '../http/rate-limit/client-limits.ts'
import { shedLoad } from '../http/plugins.ts'
import { addPageViewer } from '../http/identity/sessions.ts'
import type { Services } from '../services.ts'
import { accountPages } from './account/account.ts'
import { limitPages } from '../http/request/page-limit.ts'
import { confirmPages } from './account/confirm-email.ts'
import { devMailPages } from './mail/dev-mails.ts'
import { serveAssets } from '../html/assets.ts'
import { flagForms } from './issues/flag-routes.ts'
import { forgottenPasswordPages } from './account/forgotten-password.ts'
import { homePage } from './places/home.ts'
import { issuePages } from './issues/issue.ts'
import { issueActionPages } from './issues/issue-actions.ts'
import { logInPages } from './account/log-in.ts'
import { moderationPages } from './moderation/moderation.ts'
import { placeListPage } from './places/place-list.ts'
import { placePage } from './places/place.ts'
import { questionActionPages } from './questions/question-actions.ts'
import { questionForms, questionListPages } from './questions/question-list.ts'
import { questionPages } from './questions/question.ts'
import { registerPages } from './account/register.ts'
import { reportPages } from './report/report.ts'
import { revertEmailChangePages } from './account/revert-email-change.ts'
import { shortLinks } from './issues/short-links.ts'
import { unsubscribePages } from './account/unsubscribe.ts'
import { userPages } from './account/user.ts'
import { watchAreaPages } from './watch-areas/watch-areas.ts'
import { watchPages } from './watch-areas/watch.ts'

/** A browser loads one page at a time, and many browsers may share an IP address. */
const CLIENT_SHARE = { concurrency: 4, queueMax: 50, waitMaxMs: 5_000, rateFactor: 60, networkConcurrency: 6 }

export const webRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  await serveAssets(app)
  await shedLoad(app, services)
  await app.register(async (pages) => {
    addClientLimits(pages, services.config, CLIENT_SHARE)
    addPageViewer(pages, services)
    const bounded = limitPages(pages, services)
    await pages.register(homePage, bounded)
    await pages.register(placeListPage, bounded)
    await pages.register(placePage, bounded)
    await pages.register(issuePages, bounded)
    await pages.register(questionListPages, bounded)
    await pages.register(questionPages, bounded)
    await pages.register(userPages, bounded)
    await pages.register(shortLinks, bounded)
    await pages.register(revertEmailChangePages, bounded)
    await pages.register(unsubscribePages, bounded)
    await pages.register(devMailPages, bounded)
  })
  // Password hashing is slow and serialized, so these pages have their own limits.
  await app.register(async (logIn) => {
    addClientLimits(logIn, services.config, CLIENT_SHARE)
    addPageViewer(logIn, services)
    await logIn.register(logInPages, services)
    await logIn.register(registerPages, services)
    await logIn.register(forgottenPasswordPages, services)
    await logIn.register(confirmPages, services)
  })
  // Uploads are slow, so forms have their own limits, too.
  await app.register(async (forms) => {
    addClientLimits(forms, services.config, CLIENT_SHARE)
    addPageViewer(forms, services)
    const bounded = limitPages(forms, services)
    await forms.register(accountPages, bounded)
    await forms.register(watchAreaPages, bounded)
    await forms.register(watchPages, bounded)
    await forms.register(reportPages, bounded)
    await forms.register(issueActionPages, bounded)
    await forms.register(questionForms, bounded)
    await forms.register(questionActionPages, bounded)
    await forms.register(flagForms, bounded)
    await forms.register(moderationPages, bounded)
  })
}
