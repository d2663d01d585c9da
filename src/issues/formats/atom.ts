import { html as xml, type SafeHtml } from '../../html/template.ts'
import { LICENCE_NAME, LICENCE_URL } from '../../http/formats/licence.ts'
import { toXmlText } from '../../http/formats/xml-text.ts'
import type { Issue } from '../schema.ts'
import type { FeedDocument } from './feed-document.ts'
import { toContent, toFacts } from './xml.ts'

/** Returns a feed of RFC 4287, RFC 5005 and GeoRSS-Simple. The HTML template escapes texts: XML needs the same five characters. */
export function renderAtom({ title, id, self, htmlUrl, geojsonUrl, next, previous, icon, updated, issues }: FeedDocument): string {
  return String(xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss" xml:lang="en">
<id>${id}</id>
<title>${toXmlText(title)}</title>
<updated>${updated}</updated>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${htmlUrl}"/>
<link rel="alternate" type="application/geo+json" href="${geojsonUrl}"/>
${pageLink('next', next)}${pageLink('previous', previous)}<generator>Fixpoint</generator>
<rights>${LICENCE_NAME}, ${LICENCE_URL}</rights>
<icon>${icon}</icon>
${issues.map(renderEntry)}</feed>
`)
}

const pageLink = (rel: string, href: string | null): SafeHtml | '' =>
  href === null ? '' : xml`<link rel="${rel}" type="application/atom+xml" href="${href}"/>\n`

function renderEntry(issue: Issue): SafeHtml {
  const { status, summary, lat, lng, html_url, reporter, request_type, media } = issue
  const type = request_type.id === undefined ? '' : renderCategory(`request-type-${request_type.id}`, request_type.title ?? '')
  return xml`<entry>
<id>${html_url}</id>
<title>${toXmlText(summary)}</title>
<updated>${issue.updated_at}</updated>
<published>${issue.created_at}</published>
<author><name>${toXmlText(reporter.name)}</name></author>
<link rel="alternate" type="text/html" href="${html_url}"/>
${media.image_full === null ? '' : xml`<link rel="enclosure" type="${imageType(media.image_full)}" href="${media.image_full}"/>\n`}${renderCategory(status, status)}${type}<summary type="text">${toFacts(issue)}</summary>
<content type="text">${toContent(issue)}</content>
<georss:point>${lat} ${lng}</georss:point>
</entry>
`
}

const renderCategory = (term: string, label: string): SafeHtml => xml`<category term="${term}" label="${toXmlText(label)}"/>\n`

const imageTypes: Readonly<Record<string, string>> = { png: 'image/png', gif: 'image/gif' }
const imageType = (url: string): string => imageTypes[url.slice(-3)] ?? 'image/jpeg'
