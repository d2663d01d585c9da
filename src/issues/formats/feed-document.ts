import { withParameters } from '../../http/lists/pagination.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Issue } from '../schema.ts'
import { toXmlText } from '../../http/formats/xml-text.ts'
import { html as xml, type SafeHtml } from '../../html/template.ts'
import { LICENCE_NAME, LICENCE_URL } from '../../http/formats/feature-collection.ts'

/** A page of issues as Atom and RSS show it. */
interface FeedDocument {
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

interface FeedPage {
  readonly title: string
  /** The path of the feed from the root. */
  readonly path: string
  readonly parameters: Iterable<readonly [string, string]>
  readonly placeUrlName: string | undefined
  readonly pagination: { readonly next_page_url: string | null; readonly previous_page_url: string | null }
  readonly issues: readonly Issue[]
}

const pageParameters: ReadonlySet<string> = new Set(['page', 'per_page', 'cursor'])

/** @param latestChange returns the time that a feed without issues shows as its last change */
export async function toFeedDocument(page: FeedPage, urls: Urls, latestChange: () => Promise<string>): Promise<FeedDocument> {
  const { title, path, placeUrlName, pagination, issues } = page
  const parameters = [...page.parameters]
  const newest = issues
    .map(({ updated_at }) => updated_at)
    .sort()
    .at(-1)
  const listParameters = parameters.filter(([name]) => !pageParameters.has(name))
  return {
    title,
    id: urls.at(withParameters(path, listParameters)),
    self: urls.at(withParameters(path, parameters)),
    htmlUrl: urls.at(placeUrlName === undefined ? '/' : `/places/${encodeURIComponent(placeUrlName)}`),
    geojsonUrl: urls.at(withParameters('/feeds/issues.geojson', toPage(parameters))),
    next: pagination.next_page_url,
    previous: pagination.previous_page_url,
    icon: urls.at('/files/favicon.svg'),
    updated: newest ?? toTimestamp(await latestChange()),
    issues,
  }
}

/** Without a page, the address would be that of a whole download. */
const toPage = (parameters: readonly (readonly [string, string])[]) =>
  parameters.some(([name]) => pageParameters.has(name)) ? parameters : [...parameters, ['page', '1'] as const]

/** Returns the facts that feed readers show in a line below the title. */
const toFacts = ({ status, request_type, address }: Issue): string =>
  toXmlText([status, request_type.title, address].filter(Boolean).join(' · '))

export const toContent = ({ description, address, summary }: Issue): string =>
  toXmlText([description, address].filter(Boolean).join('\n\n') || summary)

/** Returns both in one text; the facts have the address. */
const toFactsAndDescription = (issue: Issue): string =>
  [toFacts(issue), toXmlText(issue.description ?? '')].filter(Boolean).join('\n\n')

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
${rssLink('self', self)}${rssLink('next', next)}${rssLink('previous', previous)}${issues.map(renderItem)}</channel>
</rss>
`)
}

const rssLink = (rel: string, href: string | null): SafeHtml | '' =>
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
