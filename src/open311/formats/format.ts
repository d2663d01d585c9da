import type { FastifyRequest } from 'fastify'

import { JSON_TYPE } from '../../http/formats/content-types.ts'
import { createTypeNegotiator } from '../../http/formats/negotiate-type.ts'

export const formats = ['json', 'xml'] as const
export type Format = (typeof formats)[number]

/** GeoReport v2 names these types with the charset. */
export const contentTypes: Readonly<Record<Format, string>> = { json: JSON_TYPE, xml: 'text/xml; charset=utf-8' }

/** The endings of a path: without one, `Accept` chooses the format. */
export const suffixes = ['', ...formats.map((format) => `.${format}`)]

const SUFFIX = /\.(json|xml)$/
const negotiateType = createTypeNegotiator([contentTypes.json, contentTypes.xml, 'application/xml'])

/** Returns the format that the suffix of the path names, else the one that `Accept` prefers, else JSON. */
export function requestedFormat(request: FastifyRequest): Format {
  const [path = ''] = request.url.split(/[?#]/, 1)
  const suffix = SUFFIX.exec(path.replace(/\/+$/, ''))?.[1]
  const named = formats.find((format) => format === suffix)
  return named ?? (negotiateType(request) === contentTypes.json ? 'json' : 'xml')
}

/** Returns the last segment of a path without `.json` or `.xml`. */
export const withoutSuffix = (segment: string): string => segment.replace(SUFFIX, '')
