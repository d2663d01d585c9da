import type { FastifyRequest } from 'fastify'

import { problems } from '../errors/problems.ts'
import { text } from '../errors/texts/text.ts'
import { queryParameters, refuseTooLong, withParameters } from '../http/lists/pagination.ts'
import type { Urls } from '../http/request/urls.ts'
import type { FilterQuery } from '../gis/query.ts'
import { ZOOM_MAX } from './tile-grid.ts'

const TOKEN = 'watcher_token'
const INDEX_MAX = String(2 ** ZOOM_MAX - 1)

/**
 * Returns the absolute URL of a path with the parameters of the validated query. It is part of a style or TileJSON, which are shared,
 * so a token in it would be too.
 * @throws Problem 422 for a `watcher_token`, even if another area overrides it, and for a URL that the service would refuse
 */
export function sharedUrl(urls: Urls, path: string, request: FastifyRequest<{ Querystring: FilterQuery }>): string {
  const parameters = [...queryParameters(request)]
  if (parameters.some(([name]) => name === TOKEN)) throw problems.invalid({ [TOKEN]: text('token_in_shared_document') })
  const isValid = (name: string) => Object.hasOwn(request.query, name.replace(/\[\]$/, ''))
  const url = urls.at(
    withParameters(
      path,
      parameters.filter(([name]) => isValid(name)),
    ),
  )
  refuseTooLong(urls, url.replace(/\{[zxy]\}/g, INDEX_MAX))
  return url
}
