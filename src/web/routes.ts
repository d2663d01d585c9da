import type { FastifyPluginAsync } from 'fastify'

import { identifyByHeader } from '../http/auth/authentication.ts'
import { addClientLimits } from '../http/rate-limit/client-limits.ts'
import { shedLoad } from '../http/request/load-shedding.ts'
import { addPageViewer } from '../http/identity/sessions.ts'
import { accountPages } from './account/account.ts'
import { invitationPages } from './account/invitations.ts'
import { webhookPages } from './account/webhooks.ts'
import { limitRequests } from '../http/request/request-limit.ts'
import { languageForm } from './account/language.ts'
import { dataLinkPages } from './account/account-page.ts'
import { confirmPages, revertEmailChangePages } from './account/email-links.ts'
import { devMailPages } from './mail/dev-mails.ts'
import { embedRoute } from './embed/embed.ts'
import { installRoutes } from './install/install.ts'
import { dataPages } from './open-data/open-data.ts'
import { serveAssets } from '../html/assets.ts'
import { flagForms } from './issues/flag-routes.ts'
import { forgottenPasswordPages } from './account/forgotten-password.ts'
import { baseMapRoutes, baseMapTileRoutes } from './basemap/routes.ts'
import { drawingRoute, pinnedIssues } from './map/drawing.ts'
import { issueMapImage, issuesMapImage } from './map/issues-map-image.ts'
import { mapPage } from './map/map-page.ts'
import type { WebServices } from './map/page-maps.ts'
import { issuePages, shortLinks } from './issues/issue.ts'
import { closingAnswerPages } from './account/closing-answer.ts'
import { issueActionPages } from './issues/issue-actions.ts'
import { logInPages } from './account/log-in.ts'
import { numbersPages } from './numbers/numbers.ts'
import { ownIssuePages } from './own-issues/own-issues.ts'
import { addHeldItems, moderationPages } from './moderation/moderation.ts'
import { redactionPages } from './moderation/redaction.ts'
import { referencePages } from './reference/reference.ts'
import { placeListPage } from './places/place-list.ts'
import { placePage } from './places/place.ts'
import { questionCitiesPage, questionForms, questionListPages } from './questions/question-list.ts'
import { questionActionPages } from './questions/question-actions.ts'
import { questionPages } from './questions/question-page.ts'
import { registerPages } from './account/register.ts'
import { draftPages } from './report/draft.ts'
import { pointDrawing } from './report/drawn-point/point-drawing.ts'
import { reportPages } from './report/report.ts'
import { sitemapRoutes } from './site/sitemap.ts'
import { documentPages } from './site/documents.ts'
import { unsubscribePages } from './account/unsubscribe.ts'
import { userPages } from './account/user.ts'
import { watchAreaPages } from './watch-areas/watch-areas.ts'
import { watchPages } from './watch-areas/watch.ts'
import { areaPages } from './manage/area.ts'
import { managePages } from './manage/manage.ts'
import { workPages } from './work/work.ts'

/** A browser loads one page at a time, and many browsers may share an IP address. */
const CLIENT_SHARE = { concurrency: 4, queueMax: 50, waitMaxMs: 5_000, rateFactor: 60, networkConcurrency: 6 }
/** A map asks for 20 to 40 tiles at once, and again with every move. */
const TILE_SHARE = { concurrency: 8, queueMax: 200, waitMaxMs: 10_000, rateFactor: 150, networkConcurrency: 12 }

export const webRoutes: FastifyPluginAsync<WebServices> = async (app, services) => {
  await serveAssets(app)
  shedLoad(app)
  const { maps, baseMap } = services
  const { tiles } = baseMap
  if (tiles) {
    await app.register(async (tileScope) => {
      addClientLimits(tileScope, services.config, TILE_SHARE)
      await tileScope.register(baseMapTileRoutes, { tiles })
    })
  }
  await app.register(async (pageScope) => {
    addClientLimits(pageScope, services.config, CLIENT_SHARE)
    addPageViewer(pageScope, services)
    addHeldItems(pageScope, services)
    const limitedServices = { ...limitRequests(pageScope, services), maps, baseMap }
    await pageScope.register(mapPage, limitedServices)
    await pageScope.register(drawingRoute, limitedServices)
    await pageScope.register(pinnedIssues, limitedServices)
    await pageScope.register(issueMapImage, limitedServices)
    await pageScope.register(issuesMapImage, limitedServices)
    await pageScope.register(pointDrawing, limitedServices)
    await pageScope.register(baseMapRoutes, limitedServices)
    await pageScope.register(placeListPage, limitedServices)
    await pageScope.register(placePage, limitedServices)
    await pageScope.register(numbersPages, limitedServices)
    await pageScope.register(questionCitiesPage, limitedServices)
    await pageScope.register(questionListPages, limitedServices)
    await pageScope.register(questionPages, limitedServices)
    await pageScope.register(sitemapRoutes, limitedServices)
    await pageScope.register(documentPages, limitedServices)
    await pageScope.register(dataPages, limitedServices)
    await pageScope.register(workPages, limitedServices)
    await pageScope.register(userPages, limitedServices)
    // `html_url` and `shortened_url` of an issue, which clients of the API follow with their credentials.
    await pageScope.register(async (issueScope) => {
      identifyByHeader(issueScope, services)
      await issueScope.register(issuePages, limitedServices)
      await issueScope.register(shortLinks, limitedServices)
    })
    await pageScope.register(revertEmailChangePages, limitedServices)
    await pageScope.register(dataLinkPages, limitedServices)
    await pageScope.register(unsubscribePages, limitedServices)
    await pageScope.register(closingAnswerPages, limitedServices)
    await pageScope.register(devMailPages, limitedServices)
    await pageScope.register(languageForm, limitedServices)
  })
  await app.register(async (docScope) => {
    addPageViewer(docScope, services)
    await docScope.register(referencePages, services)
  })
  // Without a session, so that the page is the same in a frame of any site.
  await app.register(async (embedScope) => {
    addClientLimits(embedScope, services.config, CLIENT_SHARE)
    await embedScope.register(installRoutes, { ...services, maps, baseMap })
    await embedScope.register(embedRoute, { ...limitRequests(embedScope, services), maps, baseMap })
  })
  // Password hashing is slow and serialized, so these pages have their own limits.
  await app.register(async (logInScope) => {
    addClientLimits(logInScope, services.config, CLIENT_SHARE)
    addPageViewer(logInScope, services)
    await logInScope.register(logInPages, services)
    await logInScope.register(registerPages, services)
    await logInScope.register(forgottenPasswordPages, services)
    await logInScope.register(confirmPages, services)
  })
  // Uploads are slow, so forms have their own limits, too.
  await app.register(async (formScope) => {
    addClientLimits(formScope, services.config, CLIENT_SHARE)
    addPageViewer(formScope, services)
    addHeldItems(formScope, services)
    const limitedServices = limitRequests(formScope, services)
    await formScope.register(accountPages, { ...limitedServices, maps, baseMap })
    await formScope.register(ownIssuePages, limitedServices)
    await formScope.register(invitationPages, limitedServices)
    await formScope.register(webhookPages, limitedServices)
    await formScope.register(areaPages, { ...limitedServices, maps, baseMap })
    await formScope.register(managePages, { ...limitedServices, maps, baseMap })
    await formScope.register(watchAreaPages, { ...limitedServices, maps, baseMap })
    await formScope.register(watchPages, { ...limitedServices, maps, baseMap })
    await formScope.register(reportPages, { ...limitedServices, maps, baseMap })
    await formScope.register(draftPages, limitedServices)
    await formScope.register(issueActionPages, { ...limitedServices, maps, baseMap })
    await formScope.register(questionForms, limitedServices)
    await formScope.register(questionActionPages, limitedServices)
    await formScope.register(flagForms, limitedServices)
    await formScope.register(moderationPages, limitedServices)
    await formScope.register(redactionPages, limitedServices)
  })
}
