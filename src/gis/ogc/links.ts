import { LICENCE_NAME, LICENCE_URL } from '../../http/formats/licence.ts'
import { withParameters as pathWithParameters } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import { type Format, GEOJSON, HTML, JSON_FG } from './formats.ts'

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
