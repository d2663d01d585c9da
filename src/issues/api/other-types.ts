import { ATOM_TYPE, CSV_TYPE, GEOJSON_TYPE, RSS_TYPE } from '../../http/formats/content-types.ts'
import { toFeaturePage } from '../../http/formats/feature-collection.ts'
import { creditLinks } from '../../http/formats/licence.ts'
import { withParameters } from '../../http/lists/pagination.ts'
import { apiPrefix, type Urls } from '../../http/request/urls.ts'
import type { Services } from '../../services.ts'
import { renderAtom, renderRss, toFeedDocument } from '../formats/feed-document.ts'
import { pageContents, refuseJsonParameters } from '../formats/schema.ts'
import { findLatestIssueChange } from '../queries.ts'
import { toIssue } from '../present.ts'
import { toRecords } from '../records/from-rows.ts'
import { toFeature, toIssueProperties } from '../records/present.ts'
import type { ListSender, OtherTypes, SendPage } from './list-routes.ts'
import { createTitledPageSender, type TitledPage } from './read-page.ts'
import { featureCsv } from '../../http/formats/csv.ts'
import type { IssueRecord } from '../records/columns.ts'
import { IssueProperties } from '../records/schema.ts'

const PATH = '/issues'

type Page = TitledPage & { readonly placeUrlName: string | undefined }

/** Returns functions that send the page which `GET /issues` has as JSON, by the other content types that `Accept` selects. */
function createPageSenders({ db, areas, urls }: Services, sendList: ListSender): ReadonlyMap<string, SendPage> {
  const sendTitledPage = createTitledPageSender({ db, areas, urls }, sendList)

  const renderers: Readonly<Record<string, (page: Page) => Promise<string>>> = {
    [GEOJSON_TYPE]: async ({ rows, parameters, pagination }) => {
      const features = (await toRecords(db.reader, rows)).map((record) => toFeature(record, urls))
      return JSON.stringify(toFeaturePage(features, urls.api(withParameters(PATH, parameters)), pagination))
    },
    [CSV_TYPE]: async ({ rows }) => renderCsv(await toRecords(db.reader, rows), urls),
    [ATOM_TYPE]: async (page) => renderAtom(await createFeedDocument(page)),
    [RSS_TYPE]: async (page) => renderRss(await createFeedDocument(page)),
  }

  const createFeedDocument = ({ rows, ...page }: Page) => {
    const issues = rows.map((row) => toIssue(row, urls))
    return toFeedDocument({ ...page, path: `${apiPrefix}${PATH}`, issues }, urls, () => findLatestIssueChange(db.reader))
  }

  const senders = Object.entries(renderers).map(([type, render]): [string, SendPage] => [
    type,
    (request, reply, query) => {
      refuseJsonParameters(query)
      return sendTitledPage(request, reply, { query, path: `${apiPrefix}${PATH}`, type }, async (page) => {
        const body = await render({ ...page, placeUrlName: query.place_url })
        const { pagination } = page
        return type === CSV_TYPE
          ? { body, headers: { link: linkHeader(pagination, urls), 'x-total-count': pagination.entries } }
          : { body }
      })
    },
  ])
  return new Map(senders)
}

export const otherTypes: OtherTypes = { contents: pageContents, createSenders: createPageSenders }

/** Returns the value of a Link header (RFC 8288). */
function linkHeader({ next_page_url, previous_page_url }: TitledPage['pagination'], urls: Urls): string {
  const pages = Object.entries({ next: next_page_url, prev: previous_page_url })
    .filter(([, url]) => url !== null)
    .map(([rel, url]) => `<${url}>; rel="${rel}"`)
  return [...pages, creditLinks(urls)].join(', ')
}

const columns = Object.keys(IssueProperties.properties) as (keyof IssueProperties)[]

/** Returns a table of issues as CSV (RFC 4180), with the columns of a whole download. */
function renderCsv(records: readonly IssueRecord[], urls: Urls): string {
  const { header, toRow } = featureCsv({ columns, hasPoints: true })
  const rows = records.map((record) => {
    const properties = toIssueProperties(record, urls)
    return toRow(
      columns.map((column) => properties[column]),
      [record.lng, record.lat],
    )
  })
  return header + rows.join('')
}
