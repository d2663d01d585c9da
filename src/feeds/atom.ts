import { html as xml, type SafeHtml } from '../html/template.ts'
import type { Issue } from '../issues/schema.ts'

/** The feed follows RFC 4287, RFC 5005 and GeoRSS-Simple. The HTML template escapes texts: XML needs the same five characters. */

export interface AtomDocument {
  readonly title: string
  /** The URL of the feed without the page, as RFC 4287 requires of an id. */
  readonly id: string
  readonly self: string
  readonly htmlUrl: string
  readonly geojsonUrl: string
  readonly next: string | null
  readonly previous: string | null
  readonly icon: string
  readonly updated: string
  readonly issues: readonly Issue[]
}

const LICENCE = 'CC BY-NC-SA 3.0 US, https://creativecommons.org/licenses/by-nc-sa/3.0/us/'

export function renderAtom({ title, id, self, htmlUrl, geojsonUrl, next, previous, icon, updated, issues }: AtomDocument): string {
  return String(xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss" xml:lang="en">
<id>${id}</id>
<title>${replaceForbiddenCharacters(title)}</title>
<updated>${updated}</updated>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${htmlUrl}"/>
<link rel="alternate" type="application/geo+json" href="${geojsonUrl}"/>
${pageLink('next', next)}${pageLink('previous', previous)}<generator>Fixpoint</generator>
<rights>${LICENCE}</rights>
<icon>${icon}</icon>
${issues.map(renderEntry)}</feed>
`)
}

const pageLink = (rel: string, href: string | null): SafeHtml | '' =>
  href === null ? '' : xml`<link rel="${rel}" type="application/atom+xml" href="${href}"/>\n`

function renderEntry(issue: Issue): SafeHtml {
  const { status, summary, description, address, lat, lng, html_url, reporter, request_type, media } = issue
  const facts = [status, request_type.title, address].filter((fact) => fact !== null && fact !== undefined && fact !== '')
  const type = request_type.id === undefined ? '' : renderCategory(`request-type-${request_type.id}`, request_type.title ?? '')
  return xml`<entry>
<id>${html_url}</id>
<title>${replaceForbiddenCharacters(summary)}</title>
<updated>${issue.updated_at}</updated>
<published>${issue.created_at}</published>
<author><name>${replaceForbiddenCharacters(reporter.name)}</name></author>
<link rel="alternate" type="text/html" href="${html_url}"/>
${media.image_full === null ? '' : xml`<link rel="enclosure" type="${imageType(media.image_full)}" href="${media.image_full}"/>\n`}${renderCategory(status, status)}${type}<summary type="text">${replaceForbiddenCharacters(facts.join(' · '))}</summary>
<content type="text">${replaceForbiddenCharacters([description, address].filter(Boolean).join('\n\n') || summary)}</content>
<georss:point>${lat} ${lng}</georss:point>
</entry>
`
}

const renderCategory = (term: string, label: string): SafeHtml =>
  xml`<category term="${term}" label="${replaceForbiddenCharacters(label)}"/>\n`

const imageTypes: Readonly<Record<string, string>> = { png: 'image/png', gif: 'image/gif' }
const imageType = (url: string): string => imageTypes[url.slice(-3)] ?? 'image/jpeg'

/** Replaces characters that XML 1.0 forbids even if escaped: control characters and two noncharacters. */
function replaceForbiddenCharacters(text: string): string {
  return text.toWellFormed().replaceAll(FORBIDDEN, '\u{FFFD}')
}
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu
