import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'

import { text, type Text } from '../../locales/texts.ts'
import { syncHook, isRead } from '../request/hooks.ts'
import { queryParameters } from '../lists/pagination.ts'
import { problems } from '../../errors/problems.ts'
import { isTypoOf, normalizeName } from '../request/similar-names.ts'
import type { ObjectSchema } from './input-transforms.ts'
import otherNames from './other-names.json' with { type: 'json' }

/* Unknown parameters are ignored, so a misspelt area would return the whole world: names close to a known one are refused. */

declare module 'fastify' {
  interface FastifyContextConfig {
    parameters?: { readonly own: readonly string[]; readonly allNames: ReadonlySet<string> }
  }
}

/**
 * The names that other APIs have, as `normalizeName` writes them, with the parameters to suggest. They are suggested only if the operation has all of
 * them.
 */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(otherNames))

/** Names of areas: a list without such an area refuses them, so that it never answers with more than the caller asked for. */
const AREA_NAMES = new Set(['polygon', 'geometry', 'geom', 'within', 'near', 'point', 'distance', 'bounds', 'bbox', 'boundingbox'])
/** Lists and statistics name these differently. Ignored, one would mean another period than the caller asked for. */
const PERIOD_PARAMETERS = new Set(['after', 'before', 'from', 'until'])
/** Filters of downloads. Lists of changes refuse them: a client that goes on from the cursor of a download would get more than its copy has. */
const DOWNLOAD_FILTERS = new Set(['category', 'organization_id', 'filter'])
/** Only lists have this parameter. */
const LIST_PARAMETER = 'page'
/** Only lists of changes have this parameter. */
const CURSOR_PARAMETER = 'since'

/** Refuses misspelt query parameters of read operations that are registered afterwards. */
export function refuseMisspeltParameters(app: FastifyInstance): void {
  const allNames = new Set<string>()
  app.addHook('onRoute', (route: RouteOptions) => {
    const { operationId, querystring } = route.schema ?? {}
    if (operationId === undefined) return
    const properties = Object.entries((querystring as ObjectSchema | undefined)?.properties ?? {})
    for (const [name, { type }] of properties) {
      allNames.add(name)
      if (type === 'array') allNames.add(`${name}[]`)
    }
    route.config = { ...route.config, parameters: { own: properties.map(([name]) => name), allNames } }
  })
  // The hook runs after validation, so that an unknown resource stays 404.
  app.addHook(
    'preHandler',
    syncHook((request) => {
      const misspelt = misspeltParameters(request)
      if (Object.keys(misspelt).length > 0) throw problems.invalid(misspelt)
    }),
  )
}

export function misspeltParameters(request: FastifyRequest): Record<string, Text> {
  const { own, allNames } = request.routeOptions.config.parameters ?? {}
  if (!own?.length || !isRead(request) || !request.url.includes('?')) return {}
  const isFilter = (name: string) => own.includes(CURSOR_PARAMETER) && DOWNLOAD_FILTERS.has(name.replace('[]', ''))
  const isUnknown = (name: string) =>
    !allNames?.has(name) || (!own.includes(name) && (PERIOD_PARAMETERS.has(name) || isFilter(name)))
  const unknown = [...new Set(queryParameters(request).keys())].filter(isUnknown)
  return Object.fromEntries(
    unknown.flatMap((name) => {
      const meant = suggestNames(name, own)
      if (meant.length > 0) return [[name, didYouMean(meant)]]
      const isUnknownArea = own.includes(LIST_PARAMETER) && AREA_NAMES.has(normalizeName(name))
      if (isUnknownArea) return [[name, text('area_unsupported')]]
      return isFilter(name) ? [[name, text('filter_of_downloads')]] : []
    }),
  )
}

export const didYouMean = (names: readonly string[]) => text('parameter_misspelt', { names: names.join(', ') })

function suggestNames(name: string, parameters: readonly string[]): readonly string[] {
  const normalized = normalizeName(name)
  const same = parameters.filter((known) => normalizeName(known) === normalized)
  if (same.length > 0) return same
  const others = SYNONYMS.get(normalized) ?? []
  if (others.length > 0 && others.every((other) => parameters.includes(other))) return others
  return parameters.filter((known) => isTypoOf(known, name))
}
