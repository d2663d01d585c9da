import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { assetVersion } from '../../html/assets.ts'
import { type Links, seeOther } from '../../html/links.ts'
import { sendPage, pageTitles } from '../../html/page.ts'
import { html } from '../../html/template.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { stringEnum } from '../../http/schema/fields.ts'
import { languages, type Texts, textsIn } from '../../locales/texts.ts'
import { SHARED_CACHE } from '../map/browser/photo-store.ts'
import type { WebServices } from '../map/page-maps.ts'
import { waitingDraftsSection, photoSection } from '../report/report-form.ts'

const source = readFileSync(new URL('./service-worker.js', import.meta.url), 'utf8')

/** Phones install the site with the manifest, the service worker and the page without a connection. None of them knows a session. */
export const installRoutes: FastifyPluginAsyncTypebox<WebServices> = async (app, { links, urls, maps }) => {
  const { to } = links
  const share = '/report/photos'

  const schema = { querystring: Type.Object({ language: Type.Optional(stringEnum(languages)) }) }

  app.get('/manifest.webmanifest', { schema }, async (request, reply) => {
    const texts = textsIn(request.query.language ?? pageLanguage(request))
    const body = JSON.stringify(manifest({ texts, links, share }))
    return reply
      .type('application/manifest+json')
      .headers({ 'cache-control': 'public, max-age=86400', vary: 'Accept-Language, Cookie' })
      .send(body)
  })

  // The pages of a language register a worker with the page of this language.
  app.get('/service-worker.js', { schema }, async (request, reply) => {
    const settings = {
      files: [
        ...maps.offline,
        to('/files/style.css', { v: assetVersion('style.css') }),
        ...['/files/favicon.svg', '/files/app/icon-192.png'].map((path) => to(path)),
      ],
      offline: to('/offline', { language: request.query.language }),
      share: to(share),
      report: to('/report'),
      shared: SHARED_CACHE,
    }
    const version = createHash('sha1')
      .update(JSON.stringify([settings, source]))
      .digest('base64url')
      .slice(0, 10)
    // Browsers compare the worker with the installed one at each visit.
    void reply.headers({
      'cache-control': 'no-cache',
      'content-security-policy': "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
    })
    return reply
      .type('text/javascript; charset=utf-8')
      .send(`self.SETTINGS = ${JSON.stringify({ version, ...settings })}\n${source}`)
  })

  app.get('/offline', { schema }, async (request, reply) => {
    const language = request.query.language ?? pageLanguage(request)
    const texts = textsIn(language)
    return sendPage(request, reply, urls, {
      ...pageTitles(texts, 'offline.title', 'offline.lead'),
      language,
      ...(maps.offline[0] === undefined ? {} : { formModule: maps.offline[0] }),
      body: html`<h1>${texts('offline.title')}</h1>
        <p class="lead">${texts('offline.lead')}</p>
        <p role="status" data-connection data-online="${texts('offline.online')}"></p>
        ${waitingDraftsSection(texts)}
        <p class="buttons"><a class="button primary" href="${to('/report')}" data-again>${texts('offline.again')}</a></p>
        <p class="quiet">${texts('offline.photos')}</p>
        ${photoSection(texts, { isStart: false })}`,
    })
  })

  // The worker keeps shared pictures on the device and does not send them. Without it, the report begins without them: nothing of the body is read.
  app.post(
    share,
    { config: { ignoresCookies: true }, onRequest: async (_request, reply) => seeOther(reply, urls, '/report') },
    () => '',
  )
}

interface ManifestOptions {
  readonly texts: Texts
  readonly links: Links
  /** Path to which other apps share pictures. */
  readonly share: string
}

/** Returns the manifest of the site as an app (W3C Web Application Manifest; the share target is in the Web Share Target draft). */
function manifest({ texts, links: { to }, share }: ManifestOptions): object {
  const icon = (name: string, sizes: string, type: string, purpose: 'any' | 'maskable') => ({
    src: to(`/files/${name}`),
    sizes,
    type,
    purpose,
  })
  return {
    id: to('/'),
    name: 'Fixpoint',
    short_name: 'Fixpoint',
    description: texts('map.description'),
    lang: texts.language,
    start_url: to('/'),
    scope: to('/'),
    display: 'standalone',
    theme_color: '#0b6176',
    background_color: '#f6f7f5',
    icons: [
      icon('favicon.svg', 'any', 'image/svg+xml', 'any'),
      icon('app/icon-192.png', '192x192', 'image/png', 'any'),
      icon('app/icon-512.png', '512x512', 'image/png', 'any'),
      icon('app/icon-maskable-512.png', '512x512', 'image/png', 'maskable'),
    ],
    shortcuts: [{ name: texts('map.reportHere'), url: to('/report') }],
    share_target: {
      action: to(share),
      method: 'POST',
      enctype: 'multipart/form-data',
      params: { files: [{ name: 'photos', accept: ['image/*', '.heic', '.heif'] }] },
    },
  }
}
