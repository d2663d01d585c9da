import type { FastifyRequest } from 'fastify'

import { LICENCE_LINK } from '../../http/formats/licence.ts'
import { queryParameters, refuseTooLong, withParameters } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'

/** Parameters that name a page. */
type Position = Readonly<Record<string, string>>

/**
 * Returns the URL of another page of a list: the parameters that the route knows, without credentials and with another position.
 * @param position an empty value leaves the parameter out
 * @throws Problem 422 for a URL that the service would refuse
 */
export function pageUrl(urls: Urls, request: FastifyRequest, position: Position): string {
  const known = request.routeOptions.config.parameters?.own ?? []
  const others = [...queryParameters(request)].filter(([name]) => {
    const bare = name.replace(/\[\]$/, '')
    return known.includes(bare) && !Object.hasOwn(position, bare)
  })
  const [path = ''] = request.url.split('?', 1)
  const parameters = [...others, ...Object.entries(position).filter(([, value]) => value !== '')]
  const url = urls.at(withParameters(path, parameters))
  refuseTooLong(urls, url)
  return url
}

/** Returns the value of a Link header (RFC 8288) with the licence. */
export const formatPageLinks = (links: readonly (readonly [rel: string, url: string])[]): string =>
  [...links.map(([rel, url]) => `<${url}>; rel="${rel}"`), LICENCE_LINK].join(', ')
