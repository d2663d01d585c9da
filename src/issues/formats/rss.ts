import { html as xml, type SafeHtml } from '../../html/template.ts'
import { LICENCE_NAME, LICENCE_URL } from '../../http/formats/licence.ts'
import { toXmlText } from '../../http/formats/xml-text.ts'
import type { Issue } from '../schema.ts'
import type { FeedDocument } from './feed-document.ts'
import { toFactsAndDescription } from './xml.ts'

/** Returns RSS 2.0 with GeoRSS-Simple and the modules Atom, Dublin Core and Creative Commons. */
export function renderRss({ title, self, htmlUrl, next, previous, updated, issues }: FeedDocument): string {
  return String(xml`<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:georss="http://www.georss.org/georss" xmlns:creativeCommons="http://backend.userland.com/creativeCommonsRssModule">
<channel>
<title>${toXmlText(title)}</title>
<link>${htmlUrl}</link>
<description>${toXmlText(title)}</description>
<language>en</language>
<copyright>${LICENCE_NAME}, ${LICENCE_URL}</copyright>
<creativeCommons:license>${LICENCE_URL}</creativeCommons:license>
<lastBuildDate>${toRfc822(updated)}</lastBuildDate>
<generator>Fixpoint</generator>
${pageLink('self', self)}${pageLink('next', next)}${pageLink('previous', previous)}${issues.map(renderItem)}</channel>
</rss>
`)
}

const pageLink = (rel: string, href: string | null): SafeHtml | '' =>
  href === null ? '' : xml`<atom:link rel="${rel}" type="application/rss+xml" href="${href}"/>\n`

function renderItem(issue: Issue): SafeHtml {
  const { summary, html_url, status, reporter, request_type, created_at, updated_at, lng, lat } = issue
  const type = request_type.title ? xml`<category>${toXmlText(request_type.title)}</category>\n` : ''
  return xml`<item>
<title>${toXmlText(summary)}</title>
<link>${html_url}</link>
<guid isPermaLink="true">${html_url}</guid>
<pubDate>${toRfc822(created_at)}</pubDate>
<atom:updated>${updated_at}</atom:updated>
<dc:creator>${toXmlText(reporter.name)}</dc:creator>
<category>${status}</category>
${type}<description>${toHtmlText(toFactsAndDescription(issue))}</description>
<georss:point>${lat} ${lng}</georss:point>
</item>
`
}

/** Feed readers show a description as HTML, so its text is escaped once more than XML needs. */
const toHtmlText = (text: string): string => String(xml`${text}`).replaceAll('\n', '<br>')

/** RSS dates are those of RFC 822 with a year of four digits. */
const toRfc822 = (timestamp: string): string => new Date(timestamp).toUTCString()
