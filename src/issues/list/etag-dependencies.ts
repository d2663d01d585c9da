import Type from 'typebox'

import { type Sql, sql } from '../../database/database.ts'
import { toSummaryText, type UserSummaryRow } from '../../users/present.ts'
import { summaryText } from '../../users/queries.ts'
import type { RequestTypeRow } from '../queries.ts'

/** The ETag of a list names its users and request types (docs/adr/0007). SQL and this module build the same text for each. */

export interface EtagDependencies {
  readonly users: ReadonlyMap<number, string>
  readonly requestTypes: ReadonlyMap<number, string>
}

/** Sorted, distinct ids. */
export interface DependencyIds {
  readonly users: readonly number[]
  readonly requestTypes: readonly number[]
}

/** The columns of `dependencyColumns`: unsorted texts, each of which starts with an id. */
export const DependencyTexts = Type.Object({ users: Type.Array(Type.String()), requestTypes: Type.Array(Type.String()) })

/** More ids would make the ETag too long. */
const DEPENDENCIES_MAX = 300

/** Returns the columns of a `DependencyTexts`; `ids` are SQL arrays. */
export const dependencyColumns = (ids: Readonly<Record<keyof DependencyIds, Sql>>) => sql`
  coalesce((SELECT json_agg(${summaryText(sql`u`)}) FROM users u WHERE u.id = ANY(${ids.users})), '[]') AS users,
  coalesce((
    SELECT json_agg(concat_ws(E'\\n', rt.id, coalesce(o.id, 0), octet_length(rt.title), rt.title || coalesce(o.name, '')))
    FROM request_types rt LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.id = ANY(${ids.requestTypes})), '[]') AS "requestTypes"`

/** The length delimits the title, which may contain any character. */
function toRequestTypeText({ id, title, organization, organization_id, ...more }: RequestTypeRow): string {
  more satisfies Record<string, never>
  return [id, organization_id ?? 0, Buffer.byteLength(title), `${title}${organization ?? ''}`].join('\n')
}

export const toIdArrays = (ids: DependencyIds) => ({
  users: sql`${ids.users}::integer[]`,
  requestTypes: sql`${ids.requestTypes}::integer[]`,
})

export const toTextsById = (texts: readonly string[]): ReadonlyMap<number, string> =>
  new Map(texts.map((text) => [Number.parseInt(text, 10), text]))

export function pickTexts(texts: ReadonlyMap<number, string>, ids: readonly number[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const id of ids) {
    const text = texts.get(id)
    if (text !== undefined) found.set(id, text)
  }
  return found
}

/** Returns each user and request type of a list once; undefined if one of them changed during the read or if there are too many. */
export function collectDependencies(
  users: readonly (UserSummaryRow | null)[],
  requestTypes: readonly (RequestTypeRow | null)[],
): EtagDependencies | undefined {
  const [userTexts, typeTexts] = [collectUniqueTexts(users, toSummaryText), collectUniqueTexts(requestTypes, toRequestTypeText)]
  if (!userTexts || !typeTexts || userTexts.size + typeTexts.size > DEPENDENCIES_MAX) return undefined
  return { users: userTexts, requestTypes: typeTexts }
}

function collectUniqueTexts<Row extends { readonly id: number }>(rows: readonly (Row | null)[], textOf: (row: Row) => string) {
  const texts = new Map<number, string>()
  for (const row of rows) {
    if (!row) continue
    const [text, before] = [textOf(row), texts.get(row.id)]
    if (before !== undefined && before !== text) return undefined
    texts.set(row.id, text)
  }
  return pickTexts(
    texts,
    [...texts.keys()].sort((a, b) => a - b),
  )
}

export const getDependencyIds = ({ users, requestTypes }: EtagDependencies): DependencyIds => ({
  users: [...users.keys()],
  requestTypes: [...requestTypes.keys()],
})

export const listDependencyTexts = ({ users, requestTypes }: EtagDependencies): string[] => [
  ...users.values(),
  ...requestTypes.values(),
]

/** Returns the ids in base 36: users, then request types. */
export const formatDependencyIds = ({ users, requestTypes }: EtagDependencies): string =>
  `${formatIds(users)}~${formatIds(requestTypes)}`

const formatIds = (texts: ReadonlyMap<number, string>) => Array.from(texts.keys(), (id) => id.toString(36)).join('.')

/** Parses the ids of an ETag; undefined for any text that `formatDependencyIds` does not produce. */
export function parseDependencyIds(text: string | undefined): DependencyIds | undefined {
  const parts = /^([0-9a-z.]*)~([0-9a-z.]*)$/.exec(text ?? '')
  const [users, requestTypes] = [parseIds(parts?.[1]), parseIds(parts?.[2])]
  if (!users || !requestTypes || users.length + requestTypes.length > DEPENDENCIES_MAX) return undefined
  return { users, requestTypes }
}

function parseIds(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined
  const ids = text === '' ? [] : text.split('.').map((part) => Number.parseInt(part, 36))
  let before = 0
  for (const id of ids) {
    if (!(id > before && id <= 2 ** 31 - 1)) return undefined
    before = id
  }
  return ids
}
