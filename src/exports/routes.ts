import Type, { type Static, type TSchema } from 'typebox'
import type { Queryable, PrismaHandle } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { type AddedColumns, historyTable, issueTable, placeTable } from '../gis/downloads/feature-tables.ts'
import {
  parseConditions,
  addRefusalOfOgcParameters,
  filterQueryCompiler,
  parseFilterQuery,
  parseHistoryQuery,
} from '../gis/query.ts'
import { addDataPlugins } from '../http/plugins.ts'
import { mayIn } from '../http/identity/capabilities.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { nullable, failsWith, toTimestamp } from '../http/schema/fields.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { text } from '../locales/texts.ts'
import { requireOrganizationCapability } from '../organizations/queries.ts'
import { toWorkFields, listWorkRows, parseWorklist, type Worklist } from '../staff/worklist/worklist.ts'
import { WorkTarget } from '../staff/targets/schema.ts'
import { WorkIssue } from '../staff/worklist/schema.ts'
import {
  IssueExportQuery,
  staffFilters,
  exportContent,
  exportParts,
  type FormatParams,
  formatParams,
  HistoryExportQuery,
  PlaceExportQuery,
} from './schema.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { resolveArea } from '../geo/area-query.ts'
import type { Downloads } from '../gis/downloads/downloads.ts'
import { wholeCollection } from '../gis/downloads/formats.ts'
import type { FeatureTable } from '../gis/downloads/spool.ts'
import type { Layer } from '../gis/downloads/writer.ts'
import { EXPORTS } from '../http/openapi/describe-operations.ts'
import { syncHook } from '../http/request/hooks.ts'
import { pageTitle } from '../issues/formats/title.ts'
import { HistoryFeature } from '../issues/records/history-schema.ts'
import { IssueFeature } from '../issues/records/schema.ts'
import { findPlaceByUrlName } from '../places/queries.ts'
import { PlaceFeature } from '../places/records/schema.ts'
import type { Services } from '../services.ts'
import { type ExportFormat, listExportFormats } from './formats.ts'

/** Columns that only staff see. */
const { version, priority, notes_count } = WorkIssue.properties
const { reason: target_reason, state: _state, ...times } = WorkTarget.properties
const staffProperties = { version, priority, notes_count, ...times, target_reason }
const personProperties = { assignee: nullable(Type.String({ description: 'The name of the employee in charge.' })) }
const StaffColumns = Type.Partial(Type.Object({ ...staffProperties, ...personProperties }))

/**
 * Returns the filter of a download for the staff of one organisation, which selects from the issues that it may act for; undefined for the file that all callers get.
 * @throws Problem 401 or 403 without `read_issues` there, or without `manage_organization` for names of people, 422 naming a parameter
 */
async function parseStaffQuery(
  { db, areas, now }: Pick<Worklist, 'areas' | 'now'> & { readonly db: Queryable & PrismaHandle },
  query: Static<typeof IssueExportQuery>,
  viewer: Viewer | null,
): Promise<IssueFilter | undefined> {
  const { organization_id: ids = [], people, ...conditions } = query
  const organizationId = ids.length === 1 ? Number(ids[0]) : undefined
  const isForStaff = Object.keys(staffFilters).some((name) => name in query)
  if (!isForStaff && (organizationId === undefined || !mayIn(viewer, 'read_issues', organizationId))) return undefined
  if (organizationId === undefined) throw problems.invalid({ organization_id: text('one_organization') })
  if (!viewer) throw problems.loginNeeded()
  await requireOrganizationCapability(db, organizationId, viewer, people ? 'manage_organization' : 'read_issues')
  const { filter } = await parseWorklist(
    {
      ...{ reader: db, areas, viewer, organizationId, now },
      parseCondition: (parsed) => parseConditions({ reader: db, areas }, conditions, parsed),
    },
    conditions,
    { page: 1, perPage: 1 },
  )
  return filter
}

/** @param people whether the file names the employees in charge */
const staffColumns = (now: Date, people = false): AddedColumns => ({
  properties: { ...staffProperties, ...(people && personProperties) },
  read: async (snapshot, ids) => {
    const rows = await listWorkRows(snapshot, ids)
    return new Map(
      [...rows].map(([id, row]) => {
        const { target, assignee, ...fields } = toWorkFields(row, now)
        return [id, { ...fields, ...target, target_reason: target?.reason ?? null, assignee: assignee?.name ?? null }]
      }),
    )
  },
})

/** The number of concurrent downloads has lower limits of its own (gis/downloads/download-limits.ts). */
const CLIENT_LIMITS = { concurrency: 8, queueMax: 20, waitMaxMs: 5_000, rateFactor: 30, networkConcurrency: 16 }

const downloadDescription =
  'All rows of one consistent snapshot, sorted by id, without pages. The response begins when the whole file is ready; `X-Total-Count` is its number of rows. `X-Changes-Cursor` identifies the snapshot. `Range` reads a part of the file, with `If-Range` and the `ETag` of a response of the last half hour the same snapshot; without `If-Range` a client gets the file that it read last, or one that is at most a minute old. HEAD returns the headers of the file that parts are read from. The `ETag` is a hash of the file: with `If-None-Match` the response is 304 if a new file would be equal, and with `If-Match` 412 if it would not. GPX and GeoPackage contain the time at which they were written, so a new file never equals an old one. So QGIS, GDAL (`/vsicurl/`) and DuckDB open the address. If a download in a text format ends early, `after_id` continues it, too. A client may have two downloads at a time; more of them wait for half a minute and then get 429. A download below 10 kB/s on average, or of two hours, is cut off, and a slow one also if another client needs its slot. The setting `EXPORTS` of the server may require credentials (401) or refuse downloads (403). The data is licensed under CC BY-NC-SA 3.0 US, which the files name, and the `Link` header of every response.'

const ExportedIssue = Type.Object({
  ...IssueFeature.properties,
  properties: Type.Object({ ...IssueFeature.properties.properties.properties, ...StaffColumns.properties }),
})

export const exportRoutes: FastifyPluginAsyncTypebox<Services & { readonly downloads: Downloads }> = async (app, services) => {
  const { areas, clock, db, downloads, urls } = services
  addDataPlugins(app, services, CLIENT_LIMITS)
  const sources = { reader: db.reader, areas }
  app.setValidatorCompiler(filterQueryCompiler(app))
  addRefusalOfOgcParameters(app)
  const context = (title: string) => ({ urls, title, createdAt: toTimestamp(clock().toISOString()) })

  addExport({
    ...{ name: 'issues', operationId: 'exportIssues', summary: 'Download all issues of an area', geometry: 'Point' },
    description:
      'Returns the issues that `GET /issues` lists for the same area and filters; without `status` they have every status. With `organization_id` of one organisation, its members get the issues that `GET /organizations/:id/issues` lists, with the filters and columns of staff.',
    querystring: IssueExportQuery,
    collection: wholeCollection(ExportedIssue, 'AllIssues'),
    async prepare(query, viewer) {
      const staffFilter = await parseStaffQuery({ db, areas, now: clock() }, query, viewer)
      const filter = staffFilter ?? (await parseFilterQuery(sources, query, viewer))
      const placeUrl = filter.area.kind === 'place' ? query.place_url : undefined
      const place = placeUrl === undefined ? undefined : await findPlaceByUrlName(sources.reader, placeUrl)
      const added = staffFilter && staffColumns(clock(), query.people)
      return issueTable({ filter, viewer, afterId: query.after_id, added }, context(pageTitle(query, place?.name)))
    },
  })

  addExport({
    ...{ name: 'history', operationId: 'exportHistory', geometry: 'Point' },
    summary: 'Download the changes of the status of all issues of an area',
    description:
      'Returns each change of the status of the issues that the area and the filters select, at the point of the issue; `after` and `before` select by the time of the change. The creation of an issue is no change.',
    querystring: HistoryExportQuery,
    collection: wholeCollection(HistoryFeature, 'AllChanges'),
    async prepare(query, viewer) {
      const filter = await parseHistoryQuery(sources, query, viewer)
      return historyTable({ filter, afterId: query.after_id }, context('History of states'))
    },
  })

  addExport({
    ...{ name: 'places', operationId: 'exportPlaces', summary: 'Download all places of an area', geometry: 'MultiPolygon' },
    description: 'Returns the places with their boundaries; of an area, those whose boundary touches it. CSV has no boundaries.',
    querystring: PlaceExportQuery,
    collection: wholeCollection(PlaceFeature, 'AllPlaces'),
    async prepare(query) {
      const area = await resolveArea(query, areas)
      return placeTable({ area, afterId: query.after_id }, context('Places'))
    },
  })

  function addExport<Query extends typeof PlaceExportQuery>({ name, geometry, collection, prepare, ...operation }: Export<Query>) {
    const formats = listExportFormats(geometry)
    /** @throws Problem 404 that names the formats */
    const findFormat = (params: unknown): ExportFormat => {
      const format = formats.find((one) => one.name === (params as FormatParams).format)
      if (!format) throw problems.formatUnknown(formats.map((one) => one.name))
      return format
    }
    app.get(
      `/exports/${name}.:format`,
      {
        // The download itself compresses text, with an encoding that is fast.
        compress: false,
        schema: {
          ...operation,
          description: `${operation.description} ${downloadDescription}`,
          tags: [EXPORTS],
          params: formatParams(formats),
          response: {
            200: { description: 'The file.', content: exportContent(formats, collection) },
            ...exportParts(formats),
            ...failsWith(404, 422),
          },
        },
        // A file that does not exist is 404 whatever its query is.
        preValidation: syncHook(({ params }) => void findFormat(params)),
      },
      async (request, reply) => {
        const query = request.query as Static<Query>
        const format = findFormat(request.params)
        await downloads.send(request, reply, async () => {
          const table = await prepare(query, request.viewer)
          const placeUrl = table.area.kind === 'place' ? query.place_url : undefined
          const parts = [table.layer.name, placeUrl, clock().toISOString().slice(0, 10)]
          const filename = `${parts.filter((part) => part !== undefined).join('-')}.${format.name}`
          return { ...format, openWriter: (query.bom ? format.openBomWriter : undefined) ?? format.openWriter, filename, table }
        })
        return reply
      },
    )
  }
}

interface Export<Query extends TSchema> {
  /** The name of the file. */
  readonly name: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly geometry: Layer['geometry']
  readonly querystring: Query
  readonly collection: TSchema
  readonly prepare: (query: Static<Query>, viewer: Viewer | null) => Promise<FeatureTable>
}
