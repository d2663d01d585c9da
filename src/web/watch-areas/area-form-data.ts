import type { MultiPolygon } from 'geojson'
import { setTimeout as wait } from 'node:timers/promises'

import type { Queryable } from '../../database/database.ts'
import type { ValidationErrors } from '../../errors/problems.ts'
import type { Area } from '../../geo/area.ts'
import { type Box, circumscribedPolygon } from '../../geo/shapes.ts'
import type { FieldErrors } from '../../html/fields.ts'
import { formatDistance } from '../../html/format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { limitConcurrency } from '../../http/request/request-limit.ts'
import { listIssueDots } from '../../issues/list/overview.ts'
import { type Language, text, type Texts, textsIn } from '../../locales/texts.ts'
import { findPlaceBounds, listOutlines } from '../../places/outline-queries.ts'
import { findPlaceByUrlName } from '../../places/queries.ts'
import { parseWatchedArea, toArea, type WatchedArea } from '../../watch-areas/area-input.ts'
import { forecastWithContents } from '../../watch-areas/forecast-mails.ts'
import { boxToShape } from '../../watch-areas/present.ts'
import type { Shape, Frequency, About } from '../../watch-areas/schema.ts'
import { readMapLayers } from '../map/drawn/map-layers.ts'
import { MAP_WIDTH, mapSvg } from '../map/drawn/map-svg.ts'
import { boxAround } from '../map/drawn/drawn-view.ts'
import type { WebServices } from '../map/page-maps.ts'
import { boxOf, toMultiPolygon } from '../map/shapes.ts'
import { type AreaForm, hiddenNames, RADIUS_M } from './area-form.ts'
import { describeForecast } from './describe-watch.ts'

const DOTS_MAX = 1_000
const mapStatuses = ['Open', 'Acknowledged', 'Closed'] as const

interface LoadedArea {
  readonly watched: WatchedArea | undefined
  readonly errors: ValidationErrors
  /** The form without the errors, which the page translates. */
  readonly form: Omit<AreaForm, 'errors' | 'places'> & { readonly errors?: FieldErrors }
}

interface MappedArea {
  readonly watched: WatchedArea
  readonly shape: MultiPolygon
  readonly box: Box
  /** The description of the area. */
  readonly area: string
}

/** Returns a function that loads the map of a form. `isRequired` reports an empty form as an error. */
export function areaFormLoader(services: WebServices) {
  const { db, areas, links, maps } = services
  return async (area: Readonly<Record<string, string>>, language: Language, isRequired = false): Promise<LoadedArea> => {
    const found = Object.keys(area).length === 0 && !isRequired ? undefined : await parseWatchedArea(area, areas)
    const watched = found && 'watched' in found ? found.watched : undefined
    const what = watched && (await describeArea(watched, area, textsIn(language)))
    const shape = watched && (await findShape(watched))
    const multi = shape && toMultiPolygon(shape)
    const box = watched?.kind === 'box' ? watched.box : ((multi && boxOf([multi])) ?? (await findPlaceBounds(db.reader)))
    return {
      watched,
      errors: found && 'errors' in found ? visibleErrors(found.errors) : {},
      form: {
        ...{ area, what, box, shape: multi },
        centre: watched?.kind === 'circle' ? watched.centre : undefined,
        drawing:
          watched && multi && box
            ? await areaMap({ watched, shape: multi, box, area: what ?? '' }, textsIn(language))
            : issueMap(textsIn(language)),
        controls: maps.controls(language),
      },
    }
  }

  async function describeArea(
    watched: WatchedArea,
    { radius = RADIUS_M, place_url = '' }: Readonly<Record<string, string>>,
    texts: Texts,
  ): Promise<string> {
    if (watched.kind === 'place') return (await findPlaceByUrlName(db.reader, place_url))?.name ?? place_url
    return watched.kind === 'circle'
      ? texts('areaTitle.aroundPoint', { distance: formatDistance(Number(radius), texts, watched.centre) })
      : texts('watch.anArea')
  }

  async function findShape(watched: WatchedArea): Promise<Shape | undefined> {
    const [outline] = watched.kind === 'place' ? await listOutlines(db.reader, [watched.placeId], MAP_WIDTH) : []
    return toShape(watched) ?? outline?.boundary
  }

  async function areaMap({ watched, shape, box, area }: MappedArea, texts: Texts): Promise<SafeHtml> {
    const view = boxAround(box)
    const [layers, dots, near] = await Promise.all([
      readMapLayers(services, view),
      listIssueDots(db.reader, { area: toArea(watched), statuses: mapStatuses }, DOTS_MAX),
      listIssueDots(db.reader, { area: { kind: 'box', box: view }, statuses: mapStatuses }, DOTS_MAX),
    ])
    const ids = new Set(dots.map(({ id }) => id))
    return mapSvg({
      label: texts(dots.length < DOTS_MAX ? 'watch.map' : 'watch.mapOfNewest', { area, count: dots.length }),
      ...layers,
      areas: [{ shape }],
      dots,
      dotsAround: near.filter(({ id }) => !ids.has(id)),
      ...(watched.kind === 'circle' ? { pin: watched.centre } : {}),
      isCover: true,
    })
  }

  function issueMap(texts: Texts): SafeHtml {
    return html`<img src="${links.to('/map/drawing.svg')}" alt="${texts('map.drawn')}">`
  }
}

/** The form has no fields for a place or a box, which a link gives. */
const visibleErrors = (errors: ValidationErrors): ValidationErrors =>
  hiddenNames.some((name) => errors[name] !== undefined) ? { base: text('area_of_link') } : errors

/** Returns the shape of an area that is not stored yet; undefined for a place, which has its own outline. */
export function toShape(watched: WatchedArea): Shape | undefined {
  switch (watched.kind) {
    case 'place':
      return undefined
    case 'polygon':
      return JSON.parse(watched.geojson) as Shape
    case 'circle':
      return circumscribedPolygon(watched.centre, watched.radius_m)
    case 'box':
      return boxToShape(watched.box)
  }
}

/** A large polygon may use a core for a second, and every change of a drawn area asks again. */
const LIMITS = { concurrency: 2, queueMax: 20, waitMaxMs: 5_000 }
const TIME_MAX_MS = 3_000

interface ForecastRequest {
  readonly area: Area
  readonly frequency: Frequency
  readonly about: About
}

type DescribeForecast = (request: ForecastRequest, language: Language, timeMaxMs?: number) => Promise<string>

/** Returns a function that describes the forecast of an area, or says that it takes too long. */
export function boundedForecasts(db: Queryable, clock: () => Date): DescribeForecast {
  const limit = limitConcurrency(LIMITS)
  return async ({ area, ...settings }, language, timeMaxMs = TIME_MAX_MS) => {
    const timer = new AbortController()
    const late = wait(timeMaxMs, undefined, { signal: timer.signal }).catch(() => undefined)
    try {
      const work = limit(() => forecastWithContents(db, area, settings, clock()))
      // The result of a late forecast, or its failure, is not used.
      work.catch(() => undefined)
      const forecast = await Promise.race([work, late])
      return forecast ? describeForecast(forecast, textsIn(language)) : textsIn(language)('forecast.tooSlow')
    } finally {
      timer.abort()
    }
  }
}
