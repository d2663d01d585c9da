import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import type { Area } from '../../geo/area.ts'
import type { Box } from '../../geo/box.ts'
import { createLinks } from '../../html/links.ts'
import { sendPage } from '../../html/page.ts'
import { html } from '../../html/template.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { toPage } from '../../http/lists/pagination.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { findListPage } from '../../issues/list/page.ts'
import { parseListQuery } from '../../issues/list/read-list.ts'
import { listOwnReports } from '../../issues/own-queries.ts'
import { findPlaceBounds } from '../../places/outline-queries.ts'
import { findPlaceByUrlName, listMainPlaces } from '../../places/queries.ts'
import { listKinds } from '../../request-types/queries.ts'
import { toBounds } from './bounds.ts'
import type { MapConfig } from './browser/config.ts'
import { filterForm } from './filter-form.ts'
import { issueSection } from './issue-section.ts'
import { areaParameters, dropEmptyParameters, filterParameters, MapQuery } from './map-query.ts'
import { mapTexts } from './map-texts.ts'
import { OWN_PENDING_MAX, ownPendingSection } from './own-pending.ts'
import type { WebServices } from './page-maps.ts'

const PLACES_MAX = 12
/** More kinds are not legible in a select. */
const KINDS_MAX = 100

/** The map of all issues with its list, which is complete without scripts. */
export const mapPage: FastifyPluginAsyncTypebox<WebServices> = async (app, { db, urls, areas, maps }) => {
  const reader = { query: db.read }
  const links = createLinks(urls)
  app.setValidatorCompiler(withInputTransform(app, 'querystring', dropEmptyParameters))

  app.get('/', { schema: { querystring: MapQuery } }, async (request, reply) => {
    const { query, viewer } = request
    const language = pageLanguage(request)
    const texts = mapTexts[language]
    const page = toPage(query)
    const { filter, area } = await parseListQuery({ reader, areas }, query, page, viewer)
    const [{ entries, issues }, place, places, kinds, pending] = await Promise.all([
      findListPage(reader, { filter, order: { by: 'created_at', direction: 'DESC' }, pagePosition: page, viewer }),
      area.kind === 'place' && query.place_url !== undefined ? findPlaceByUrlName(reader, query.place_url) : undefined,
      listMainPlaces(reader, PLACES_MAX),
      listKinds(reader, KINDS_MAX),
      viewer ? listOwnReports(db, viewer, 'held', { page: 1, perPage: OWN_PENDING_MAX }) : undefined,
    ])
    const filters = filterParameters(query)
    const drawing = links.to('/map/drawing.svg', { ...areaParameters(query), ...filters })
    const config: MapConfig = {
      ...maps.controls(language),
      tileJson: links.to('/tiles/issues.json'),
      drawing: { path: drawing, text: texts.drawn },
      bounds: toBounds(await findBox(area)),
      failed: texts.failed,
    }
    const isWhole = Object.keys({ ...filters, ...areaParameters(query) }).length === 0 && page.page === 1
    return sendPage(request, reply, urls, {
      title: place ? place.name : texts.title,
      description: texts.description,
      language,
      ...(isWhole ? { canonical: '/' } : {}),
      feed: { title: texts.feed, href: links.to('/feeds/issues.atom', { ...areaParameters(query), ...filters }) },
      map: await maps.full(),
      body: html`<div class="map-page">
        <div id="map" class="map-canvas" role="region" aria-label="${texts.map}" data-map="${JSON.stringify(config)}">
          <noscript><img src="${drawing}" alt="${texts.drawn}"></noscript>
        </div>
        <div class="map-panel">
          <h1>${place ? place.name : texts.heading}</h1>
          <p><a class="button primary" data-report href="${links.to(place ? `/places/${place.url_name}/report` : '/report')}">${texts.reportHere}</a></p>
          ${filterForm({ query, kinds, viewer, texts, language, links })}
          <nav class="choices" aria-label="${texts.places}">
            ${areaParameters(query)['place_url'] === undefined ? '' : html`<a href="${links.to('/', filters)}">${texts.everywhere}</a>`}
            ${places.map(
              ({ name, url_name }) =>
                html`<a href="${links.to('/', { ...filters, place_url: url_name })}"${url_name === place?.url_name ? html` aria-current="true"` : ''}>${name}</a>`,
            )}
            <a href="${links.to('/places')}">${texts.allPlaces}</a>
          </nav>
          <p id="map-failure" class="error-summary" role="alert" hidden></p>
          ${ownPendingSection(pending?.issues ?? [], language, links)}
          ${issueSection({ query, page, entries, issues, texts, language, urls, hasPlaces: places.length > 0 })}
        </div>
      </div>`,
    })
  })

  /** Returns the box that the map shows first. */
  async function findBox(area: Area): Promise<Box | undefined> {
    if (area.kind === 'box') return area.box
    return findPlaceBounds(reader, area.kind === 'place' ? area.placeId : undefined)
  }
}
