import type { FastifyPluginAsync } from 'fastify'

import { addClientShare } from '../http/rate-limit/client-share.ts'
import { shedLoad } from '../http/plugins.ts'
import { addPageViewer } from '../http/identity/sessions.ts'
import type { Services } from '../services.ts'
import { accountPages } from './account.ts'
import { boundPages } from './bounds.ts'
import { confirmPages } from './confirm-email.ts'
import { devMailPages } from './dev-mails.ts'
import { addFiles } from './files.ts'
import { flagForms } from './flag-pages.ts'
import { forgottenPasswordPages } from './forgotten-password.ts'
import { homePage } from './home.ts'
import { issuePages } from './issue.ts'
import { issueActionPages } from './issue-actions.ts'
import { logInPages } from './log-in.ts'
import { moderationPages } from './moderation.ts'
import { placeListPage } from './place-list.ts'
import { placePage } from './place.ts'
import { questionActionPages } from './question-actions.ts'
import { questionForms, questionListPages } from './question-list.ts'
import { questionPages } from './question.ts'
import { registerPages } from './register.ts'
import { reportPages } from './report.ts'
import { revertEmailChangePages } from './revert-email-change.ts'
import { shortLinks } from './short-links.ts'
import { unsubscribePages } from './unsubscribe.ts'
import { userPages } from './user.ts'
import { watchAreaPages } from './watch-areas.ts'
import { watchPages } from './watch.ts'

/** A browser asks for one page at a time, and many browsers may share an address. */
const SHARE = { atOnce: 4, waitingMax: 50, waitMaxMs: 5_000, rateTimes: 60, networkAtOnce: 6 }

/** The pages behind `html_url` and its like, rendered here and complete without scripts. */
export const webRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  await addFiles(app)
  await shedLoad(app, services)
  await app.register(async (pages) => {
    addClientShare(pages, services.config, SHARE)
    addPageViewer(pages, services)
    const bounded = boundPages(pages, services)
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
  // Passwords are hashed one after the other; whoever waits for that must not stand in the way of those who read.
  await app.register(async (logIn) => {
    addClientShare(logIn, services.config, SHARE)
    addPageViewer(logIn, services)
    await logIn.register(logInPages, services)
    await logIn.register(registerPages, services)
    await logIn.register(forgottenPasswordPages, services)
    await logIn.register(confirmPages, services)
  })
  // And so must those who fill in forms not stand in it, whose pictures come slowly.
  await app.register(async (forms) => {
    addClientShare(forms, services.config, SHARE)
    addPageViewer(forms, services)
    const bounded = boundPages(forms, services)
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
