import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'

import type { Problem } from '../../errors/problems.ts'
import { dropOverriddenParameters, resolveArea } from '../../geo/area-query.ts'
import type { Area } from '../../geo/area.ts'
import { assetVersion } from '../../html/assets.ts'
import { createLinks } from '../../html/links.ts'
import { framedMapPolicy } from '../../html/page.ts'
import { problemDetails, problemTitle } from '../../html/problem-page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { toProblem } from '../../http/errors/render-problems.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { LICENCE_NAME, LICENCE_URL } from '../../http/formats/feature-collection.ts'
import type { Urls } from '../../http/request/urls.ts'
import { stringEnum } from '../../http/schema/fields.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import { parseFilter } from '../../issues/list/filter.ts'
import { findListPage } from '../../issues/list/page.ts'
import { languages, type Texts, textsIn } from '../../locales/texts.ts'
import { findPlaceBounds } from '../../places/outline-queries.ts'
import { findPlaceByUrlName } from '../../places/queries.ts'
import { issueCard } from '../cards/cards.ts'
import { DOTS_MAX, drawnMap } from '../map/drawing.ts'
import { reportViewOf } from '../map/drawn/drawn-view.ts'
import { areaParameters, filterParameters, MapQuery } from '../map/filter-form.ts'
import { embeddedMap, type WebServices } from '../map/page-maps.ts'
import { toBounds } from '../map/shapes.ts'

/** A frame is small, and a link leads to the whole list. */
const LISTED_MAX = 5

const { watch_area: _area, assigned: _assigned, assigned_to_me: _own, page: _page, view: _view, ...shared } = MapQuery.properties

const EmbedQuery = Type.Object({ ...shared, language: Type.Optional(stringEnum(languages)) })

/**
 * The map of an area for a frame of another site. Other sites may frame this page alone (clickjacking): it knows no session, sets no cookie and has no
 * form, and its links open new tabs.
 */
export const embedRoute: FastifyPluginAsyncTypebox<WebServices> = async (app, { db, links, urls, areas, maps, config }) => {
  app.setValidatorCompiler(withInputTransform(app, 'querystring', dropOverriddenParameters))

  const frameHeaders = (reply: FastifyReply, origins: readonly string[]) =>
    reply
      .removeHeader('x-frame-options')
      .type('text/html; charset=utf-8')
      .headers({
        'content-security-policy': framedMapPolicy(origins, config.embedOrigins),
        'referrer-policy': 'same-origin',
      })

  // The handler of the application renders what this one throws.
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error, request)
    if (problem.status >= 500 || request.accepts().type(['json', 'html']) !== 'html') throw error
    const { language: chosen } = request.query as { readonly language?: unknown }
    const language = languages.find((one) => one === chosen) ?? pageLanguage(request)
    return frameHeaders(reply, [])
      .code(problem.status)
      .headers(problem.headers)
      .send(embedProblemPage(problem, textsIn(language), urls))
  })

  app.get('/embed', { schema: { querystring: EmbedQuery } }, async (request, reply) => {
    const { query } = request
    const language = query.language ?? pageLanguage(request)
    const texts = textsIn(language)
    const area = await resolveArea(query, areas)
    const filter = await parseFilter(db.reader, query, area, null)
    const [{ entries, issues }, place, box] = await Promise.all([
      findListPage(db.reader, {
        filter,
        order: { by: 'created_at', direction: 'DESC' },
        pagePosition: { page: 1, perPage: LISTED_MAX },
        viewer: null,
      }),
      area.kind === 'place' && query.place_url !== undefined ? findPlaceByUrlName(db.reader, query.place_url) : undefined,
      findBox(area),
    ])
    const parameters = { ...areaParameters(query), ...filterParameters(query) }
    const label = place
      ? texts(entries > DOTS_MAX ? 'place.mapOfNewest' : 'place.map', { place: place.name, count: Math.min(entries, DOTS_MAX) })
      : texts('map.drawn')
    const map = embeddedMap(drawnMap({ path: links.to('/map/drawing.svg', parameters), label }), {
      ...maps.controls(language),
      tileJson: links.to('/tiles/issues.json', parameters),
      ...(place ? { outline: links.to('/map/outline.json', { place_url: place.url_name }) } : {}),
      bounds: toBounds(box),
      offer: { path: links.to('/report'), text: texts('map.offer') },
    })
    const pageMap = await maps.embedded()
    const title = place ? texts('place.feed', { place: place.name }) : texts('map.title')
    const hasArea = Object.keys(areaParameters(query)).length > 0
    const report = links.to(place ? `/places/${place.url_name}/report` : '/report', {
      view: box && hasArea ? reportViewOf(box) : undefined,
    })
    const all = links.to('/', parameters)
    return frameHeaders(reply, pageMap.origins).send(
      frameDocument(
        title,
        html`<header><h1><a href="${all}">${title}</a></h1> <a class="button primary" data-report href="${report}">${texts('map.reportHere')}</a></header>
<div class="frame">${map}</div>
<section data-issue-list aria-labelledby="newest">
<h2 id="newest">${texts('embed.newest')}</h2>
${issues.length > 0 ? html`<ul class="cards">${issues.map((issue) => issueCard(issue, urls, texts))}</ul>` : html`<p class="empty">${texts('map.empty')}</p>`}
</section>
<p class="quiet"><a href="${all}">${texts('embed.all', { count: entries })}</a> · Fixpoint, <a href="${LICENCE_URL}" rel="license">${LICENCE_NAME}</a></p>`,
        { texts, urls, script: pageMap.script },
      ),
    )
  })

  async function findBox(area: Area) {
    return area.kind === 'box' ? area.box : findPlaceBounds(db.reader, area.kind === 'place' ? area.placeId : undefined)
  }
}

/** Returns a page that says in the frame what is wrong with its address. */
function embedProblemPage({ status, body }: Problem, texts: Texts, urls: Urls): string {
  const title = problemTitle(texts, status)
  const home = createLinks(urls).to('/')
  return frameDocument(
    title,
    html`<h1>${title}</h1>
${problemDetails(body, texts.language)}
<p><a href="${home}">${texts('problem.homeLink')}</a></p>`,
    { texts, urls },
  )
}

/** Returns a document without the header and the footer of other pages. */
function frameDocument(title: string, body: SafeHtml, { texts, urls, script }: FrameDocument): string {
  const { to } = createLinks(urls)
  return String(html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<base target="_blank">
<title>${title} · Fixpoint</title>
<link rel="icon" href="${to('/files/favicon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${to('/files/style.css', { v: assetVersion('style.css') })}">
${script === undefined ? '' : html`<script type="module" src="${script}"></script>`}
</head>
<body class="embed">
<main>
${body}
</main>
</body>
</html>
`)
}

interface FrameDocument {
  readonly texts: Texts
  readonly urls: Urls
  readonly script?: string
}

/** Returns the line of HTML with which another site shows `/embed` in a frame. */
export const embedLine = (url: string, title: string): string =>
  String(html`<iframe src="${url}" title="${title}" width="100%" height="640" style="border: 0" loading="lazy"></iframe>`)
