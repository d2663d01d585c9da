import Type, { type Static, type TSchema } from 'typebox'

import { Id, nullable, stringEnum, Timestamp } from '../../http/schema/fields.ts'
import { text } from '../../locales/texts.ts'
import { ListIssuesQuery } from '../list/query.ts'
import { IssueFeature, IssueProperties } from '../records/schema.ts'
import { Issue } from '../schema.ts'
import { encodeChangesCursor } from '../../issue-lifecycle/changes-cursor.ts'

export const CHANGES_MAX = 1_000
export const WAIT_MAX_S = 30
const TILES_ZOOM = { min: 5, max: 14 }

const exampleCursor = encodeChangesCursor({
  log: '9e107d9d372bb6826bd81d3542a419d6',
  xid: 4711,
  issue_id: -1,
  at: 1_796_000_000_000,
})

const SinceParameter = Type.Optional(
  Type.String({
    maxLength: 200,
    description:
      'A cursor: `next_since`, the header `X-Changes-Cursor` of a list or download, or the `id` of an event of the stream.',
    examples: [exampleCursor],
    'x-allowed': text('changes_cursor'),
  }),
)

const {
  page: _page,
  per_page: _perPage,
  cursor: _cursor,
  sort: _sort,
  sort_direction: _direction,
  details: _details,
  ...filters
} = ListIssuesQuery.properties

/** The area forms and filters of `GET /issues`. */
export const ChangesFilter = Type.Object(filters)

export const StreamQuery = Type.Object({
  ...filters,
  since: SinceParameter,
  tiles: Type.Optional(
    Type.Integer({
      minimum: TILES_ZOOM.min,
      maximum: TILES_ZOOM.max,
      description: 'A zoom: each change names the tiles of it that may show the issue, or showed it before.',
      examples: [12],
    }),
  ),
})
export type StreamQuery = Static<typeof StreamQuery>

export const ChangesQuery = Type.Object({
  ...StreamQuery.properties,
  per_page: Type.Optional(
    Type.Integer({
      default: 100,
      description: `Changes of a page, at most ${CHANGES_MAX}; values outside the range are clamped.`,
      examples: [100],
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WAIT_MAX_S,
      description: 'Seconds for which a response without changes waits for one.',
      examples: [20],
    }),
  ),
  format: Type.Optional(
    stringEnum(['json', 'geojsonl'], {
      default: 'json',
      description:
        '`geojsonl` has one GeoJSON feature a line, with `change` among its properties and without a geometry if the issue is gone, and takes neither `tiles` nor `fields[issue]`. The next cursor is in `X-Changes-Cursor`; the header `Link` has the next page if more changes follow.',
      examples: ['json'],
    }),
  ),
})

export const changeKinds = ['created', 'changed', 'gone'] as const

export const ChangeItem = Type.Object(
  {
    id: Id,
    kind: stringEnum(changeKinds, {
      description:
        '`created` and `changed` have the issue as it is now; `gone` says that it is not in the list: it left the filter, is hidden or was deleted. A client ignores `gone` for an issue that it does not have.',
      examples: ['changed'],
    }),
    at: Timestamp,
    tiles: Type.Optional(
      Type.Array(Type.String(), { description: 'With the parameter `tiles`: the tiles, as `z/x/y`.', examples: [['12/853/1554']] }),
    ),
    issue: nullable(Issue),
  },
  { title: 'Change' },
)

const SparseChange = Type.Object(
  {
    ...ChangeItem.properties,
    issue: nullable(Type.Partial(Issue, { title: 'SparseIssue', description: 'Only the keys that `fields[issue]` names.' })),
  },
  { title: 'SparseChange' },
)

const listOf = (item: TSchema, title: string) =>
  Type.Object(
    {
      changes: Type.Array(item, { description: 'Each issue once, in the order of its last change.' }),
      next_since: Type.String({ description: 'The cursor of the next request.', examples: [exampleCursor] }),
      has_more: Type.Boolean({ description: 'Whether more changes can be read at once.', examples: [false] }),
    },
    { title },
  )

export const ChangesList = { ...listOf(ChangeItem, 'Changes'), 'x-alternative': listOf(SparseChange, 'SparseChanges') }

/** A line of `format=geojsonl`. */
export const FeatureLine = Type.Object(
  {
    ...IssueFeature.properties,
    geometry: nullable(IssueFeature.properties.geometry),
    properties: Type.Object({
      ...Type.Partial(IssueProperties).properties,
      change: ChangeItem.properties.kind,
      changed_at: Timestamp,
    }),
  },
  { title: 'ChangedFeature' },
)
