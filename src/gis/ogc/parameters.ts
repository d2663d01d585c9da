import type { FastifyError, FastifyRequest } from 'fastify'

import { Problem, problems } from '../../errors/problems.ts'
import { LICENCE_NAME, LICENCE_URL } from '../../http/formats/feature-collection.ts'
import { queryParameters, withParameters as pathWithParameters } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toValidationProblem } from '../../http/validation/validation.ts'
import { text, type Text } from '../../locales/texts.ts'

/** Returns the problem of one parameter (OGC 17-069r4, 7.6). */
export const badParameter = (name: string, reason: Text): Problem =>
  problems.badRequest(text('parameter_error', { name: name.slice(0, 100).toWellFormed().replaceAll('\0', ''), reason }))

/** Returns a problem with status 400 for invalid parameters, which are 422 elsewhere, and other errors unchanged. */
export function toBadRequest(error: unknown, request: FastifyRequest): unknown {
  const { validation, validationContext } = error as Partial<FastifyError> & { validationContext?: string }
  const problem = validation
    ? toValidationProblem({ validation, validationContext: validationContext ?? 'querystring' }, request)
    : error
  if (!(problem instanceof Problem) || problem.status !== 422 || problem.body.kind === 'message') return problem
  const errors = Object.entries(problem.body.fields).map(([name, reasons]) => {
    const [reason = text('not_allowed')] = [reasons].flat<(Text | readonly Text[])[]>() as readonly Text[]
    return text('parameter_error', { name, reason })
  })
  const [first = text('not_allowed'), ...others] = errors
  return problems.badRequest(others.reduce<Text>((before, error) => text('two_errors', { first: before, second: error }), first))
}

/** Parameters of the items of every collection. */
export const itemParameters: readonly string[] = [
  ...['f', 'limit', 'offset', 'cursor', 'bbox', 'bbox-crs', 'crs', 'datetime', 'filter', 'filter-lang', 'filter-crs'],
  ...['properties', 'sortby'],
]

/** Credentials may be in any URL. */
const CREDENTIALS = 'access_token'

/** Returns the parameters of a request by name. @throws Problem 400 for unknown or repeated parameters and text that cannot be stored */
export function readParameters(
  request: FastifyRequest,
  names: readonly string[],
  lists: readonly string[] = [],
): Map<string, string> {
  const known = new Set([...names, CREDENTIALS])
  const values = new Map<string, string>()
  for (const [name, value] of queryParameters(request)) {
    const listName = lists.find((list) => name === `${list}[]`)
    const key = listName ?? name
    if (!known.has(key)) throw badParameter(name, text('parameter_unknown', { names: names.join(', ') }))
    if (value.includes('\0')) throw badParameter(name, text('has_nul'))
    if (!value.isWellFormed()) throw badParameter(name, text('has_unpaired_surrogate'))
    if (values.has(key) && !lists.includes(key)) throw badParameter(name, text('given_repeatedly'))
    values.set(key, value)
  }
  return values
}

export type Format = 'json' | 'html' | 'jsonfg'

export const GEOJSON = 'application/geo+json'
export const JSON_FG = 'application/vnd.ogc.fg+json'
export const SCHEMA_JSON = 'application/schema+json'
export const OPENAPI_JSON = 'application/vnd.oai.openapi+json;version=3.0'
export const HTML = 'text/html'
export const MVT = 'application/vnd.mapbox-vector-tile'

/** Media types that ask for a format. JSON is first, because it is the default for any type. */
const mediaTypes: readonly (readonly [type: string, format: Format])[] = [
  ['application/json', 'json'],
  [GEOJSON, 'json'],
  [SCHEMA_JSON, 'json'],
  ['application/vnd.oai.openapi+json', 'json'],
  [JSON_FG, 'jsonfg'],
  [HTML, 'html'],
]

/** Returns the value of `f` for a media type. */
export const toFormat = (type: string): Format | undefined => mediaTypes.find(([known]) => type.startsWith(known))?.[1]

/** Returns the format that `f` or else `Accept` asks for. @throws Problem 400 for an unknown `f` */
export function negotiateFormat(request: FastifyRequest, f: string | null, formats: readonly Format[] = ['json', 'html']): Format {
  if (f !== null) {
    const format = formats.find((one) => one === f)
    if (!format) throw badParameter('f', text('must_be', { allowed: text('one_of', { values: formats.join(', ') }) }))
    return format
  }
  const types = mediaTypes.filter(([, format]) => formats.includes(format))
  const accepted = request.accepts().type(types.map(([type]) => type))
  return types.find(([type]) => type === accepted)?.[1] ?? 'json'
}

/** A link of OGC API (RFC 8288). */
export interface Link {
  readonly href: string
  readonly rel: string
  readonly type?: string
  readonly title?: string
  readonly templated?: true
}

export const ROOT = '/ogc'

export const licence: Link = { href: LICENCE_URL, rel: 'license', type: HTML, title: LICENCE_NAME }

const titles: Readonly<Record<Format, string>> = { json: 'as JSON', html: 'as a page', jsonfg: 'as JSON-FG' }

/** Returns the link of a document to itself and those to its other formats. */
export function formatLinks(
  urls: Urls,
  path: string,
  parameters: Iterable<readonly [string, string]>,
  format: Format,
  types: Readonly<Partial<Record<Format, string>>> = { json: 'application/json', html: HTML },
): readonly Link[] {
  const others = [...parameters].filter(([name]) => name !== 'f')
  return (Object.entries(types) as [Format, string][]).map(([other, type]) => ({
    href: withParameters(urls, path, [...others, ['f', other]]),
    rel: other === format ? 'self' : 'alternate',
    type,
    title: other === format ? 'This document' : `This document ${titles[other]}`,
  }))
}

export function withParameters(urls: Urls, path: string, parameters: Iterable<readonly [string, string]>): string {
  return urls.at(pathWithParameters(path, parameters))
}

export const itemTypes = { json: GEOJSON, html: HTML, jsonfg: JSON_FG } as const
