import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { fastify, LogController } from 'fastify'
import { createServer, type IncomingMessage } from 'node:http'

import { answerVoteRoutes, answerRoutes } from './answers/routes.ts'
import { assignmentRoutes } from './staff/assignments.ts'
import { staffRoutes } from './staff/edits.ts'
import { bulkRoutes } from './staff/bulk/routes.ts'
import { mergeRoutes } from './staff/merges/merge.ts'
import { transferRoutes } from './staff/transfers/routes.ts'
import { changeForwarding } from './imports/organizations/forwarding-rows.ts'
import { typeRoutes } from './imports/organizations/type-routes.ts'
import { memberRoutes } from './organizations/member-routes.ts'
import { worklistRoutes } from './staff/worklist/worklist.ts'
import { dailyMailRoutes } from './staff/mails/settings.ts'
import { previewRoutes } from './staff/previews.ts'
import { templateRoutes } from './staff/templates.ts'
import { viewRoutes } from './staff/worklist/views.ts'
import { targetRoutes } from './staff/targets/routes.ts'
import { organizationRoutes } from './organizations/settings.ts'
import { commentRoutes, commentWritingRoutes } from './comments/routes.ts'
import { duplicateRoutes } from './duplicates/routes.ts'
import { emailRoutes } from './accounts/emails/routes.ts'
import { loggedPath } from './environment/logged-path.ts'
import { exportRoutes } from './exports/routes.ts'
import { addDownloads } from './gis/downloads/downloads.ts'
import { feedRoutes } from './feeds/routes.ts'
import { flagRoutes } from './flags/routes.ts'
import { followRoutes } from './follows/routes.ts'
import { healthRoutes } from './ops/health-routes.ts'
import { routableUrl } from './http/request/normalize-url.ts'
import { apiPrefix } from './http/request/urls.ts'
import { describeApi } from './http/openapi/api-document.ts'
import { toTrustProxy } from './http/request/client-address.ts'
import { createClientErrorHandler } from './http/errors/client-errors.ts'
import { newRequestId } from './http/request/request-log.ts'
import { addApiPlugins, addPlugins } from './http/plugins.ts'
import { openAdmission, refuseReadsWhileFull } from './http/request/admission.ts'
import { imageRoutes } from './media/routes.ts'
import { lazyCompilers, type SchemaCompilers } from './http/validation/compilers.ts'
import { withTextConversion } from './http/validation/text-values.ts'
import { listRoutes } from './issues/api/list-routes.ts'
import { otherTypes, issueRoutes } from './issues/api/routes.ts'
import { changesRoutes } from './issues/changes/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { moderationRoutes } from './moderation/routes.ts'
import { ogcRoutes } from './ogc/routes.ts'
import { open311Routes } from './open311/routes.ts'
import { passwordRoutes } from './accounts/passwords/routes.ts'
import { placeRoutes } from './places/routes.ts'
import { questionRoutes } from './questions/routes.ts'
import { reportRoutes } from './reporting/report-routes.ts'
import { requestTypeRoutes } from './request-types/routes.ts'
import { mailHookRoutes } from './notifications/mail-hook.ts'
import { opsRoutes } from './ops/routes.ts'
import { openMetrics } from './ops/metrics.ts'
import { instrumentRequests } from './ops/instrument-requests.ts'
import type { Services } from './services.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import { tileRoutes } from './tiles/routes.ts'
import { tokenRoutes } from './accounts/tokens/routes.ts'
import { accountRoutes } from './accounts/routes.ts'
import { userRoutes } from './users/routes.ts'
import { voteRoutes } from './votes/vote.ts'
import { forecastRoutes } from './watch-areas/forecast-routes.ts'
import { watcherRoutes } from './watch-areas/routes.ts'
import { apiConfirmPage } from './web/account/email-links.ts'
import { flagPages } from './web/issues/flag-routes.ts'
import { problemPage } from './html/problem-page.ts'
import { openBaseMap } from './web/basemap/base-map.ts'
import { createFeatureMaps } from './web/ogc/feature-maps.ts'
import { servePageMaps } from './web/map/page-maps.ts'
import { webRoutes } from './web/routes.ts'

const BODY_MAX = 1024 * 1024
/** Limit in bytes for the request line with all headers. */
const HEAD_MAX = 16_000
/** Node limits the request line first, so a long unknown id is 404. */
const PARAMETER_MAX = HEAD_MAX
const HTTP_LIMITS = {
  maxHeaderSize: HEAD_MAX,
  requestTimeout: 300_000,
  /** A connection without a complete request head is closed after this time. */
  headersTimeout: 20_000,
  /** Proxies keep idle connections for a minute. If the service closed one first, their next request on it would fail. */
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 5_000,
}

/**
 * Returns the complete Fastify app without a listening socket; the tests build the same app.
 * @param compilers schema compilers; a process that builds many apps can pass ones that compile each schema once
 */
export async function buildApp(services: Services, compilers: SchemaCompilers = lazyCompilers) {
  const { log } = services
  const metrics = openMetrics()
  const admission = openAdmission(services)
  const logRefused = ({ method = '', url = '' }: IncomingMessage, requestId: string) => {
    metrics.requestRefused(method)
    log.info({ request_id: requestId, method, path: loggedPath(url), status: 503 }, 'request refused')
  }
  const app = fastify({
    serverFactory: (handle) => createServer(HTTP_LIMITS, refuseReadsWhileFull(admission, handle, logRefused)),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: newRequestId,
    trustProxy: toTrustProxy(services.config.trustProxy),
    bodyLimit: BODY_MAX,
    clientErrorHandler: createClientErrorHandler(services.urls, log),
    rewriteUrl: routableUrl,
    routerOptions: { maxParamLength: PARAMETER_MAX, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    // Requests on a keep-alive connection still get a response while the process stops.
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setValidatorCompiler(withTextConversion(compilers.validator))
  app.setSerializerCompiler(compilers.serializer)

  instrumentRequests(app, metrics)
  await addPlugins(app, services, problemPage)
  await describeApi(app, services.urls)

  await app.register(healthRoutes, services)
  await app.register(opsRoutes, { ...services, metrics })
  await app.register(mailHookRoutes, services)
  const baseMap = await openBaseMap(app, services)
  const maps = servePageMaps(app, services.urls, baseMap)
  await app.register(webRoutes, { ...services, maps, baseMap })
  const downloads = addDownloads(app, services)
  await app.register(feedRoutes, { ...services, downloads })
  await app.register(exportRoutes, { ...services, downloads })
  await app.register(tileRoutes, services)
  await app.register(ogcRoutes, { ...services, maps: createFeatureMaps(services, maps) })
  await app.register(open311Routes, { ...services, downloads, prefix: '/open311' })
  await app.register(imageRoutes, services)
  await app.register(
    async (api) => {
      await addApiPlugins(api, { ...services, admission })
      await api.register(listRoutes, { ...services, otherTypes })
      await api.register(issueRoutes, services)
      await api.register(changesRoutes, services)
      await api.register(webhookRoutes, services)
      await api.register(commentRoutes, services)
      await api.register(commentWritingRoutes, services)
      await api.register(voteRoutes, services)
      await api.register(followRoutes, services)
      await api.register(flagRoutes, services)
      await api.register(assignmentRoutes, services)
      await api.register(staffRoutes, services)
      await api.register(worklistRoutes, services)
      await api.register(transferRoutes, services)
      await api.register(targetRoutes, services)
      await api.register(templateRoutes, services)
      await api.register(viewRoutes, services)
      await api.register(previewRoutes, services)
      await api.register(dailyMailRoutes, services)
      await api.register(mergeRoutes, services)
      await api.register(bulkRoutes, services)
      await api.register(organizationRoutes, { ...services, changeForwarding })
      await api.register(memberRoutes, services)
      await api.register(typeRoutes, services)
      await api.register(requestTypeRoutes, services)
      await api.register(reportRoutes, services)
      await api.register(duplicateRoutes, services)
      await api.register(statisticsRoutes, services)
      await api.register(userRoutes, services)
      await api.register(accountRoutes, services)
      await api.register(emailRoutes, services)
      await api.register(passwordRoutes, services)
      await api.register(tokenRoutes, services)
      await api.register(placeRoutes, services)
      await api.register(questionRoutes, services)
      await api.register(answerRoutes, services)
      await api.register(answerVoteRoutes, services)
      await api.register(moderationRoutes, services)
      await api.register(watcherRoutes, services)
      await api.register(forecastRoutes, services)
      await api.register(flagPages, services)
      await api.register(apiConfirmPage, services)
    },
    { prefix: apiPrefix },
  )
  return app
}
