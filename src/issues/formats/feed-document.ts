import { withParameters } from '../../http/lists/pagination.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Issue } from '../schema.ts'

/** A page of issues as Atom and RSS show it. */
export interface FeedDocument {
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
