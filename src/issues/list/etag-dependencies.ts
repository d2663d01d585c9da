import Type from 'typebox'

import { type Sql, sql } from '../../database/database.ts'
import { toSerializedSummary, type UserSummaryRow } from '../../users/present.ts'
import { serializedSummary } from '../../users/queries.ts'
import type { RequestTypeRow } from '../queries.ts'

/*
 * The ETag of a list hashes the users and request types that the list shows, and contains their ids, so that the next request can look up
 * the same rows (docs/adr/0007). A row is serialized as one text of its id and all values that a response shows. `dependencyColumns` does it
 * in SQL for a lookup, `collectDependencies` in TypeScript for rows that are already read; both give the same text.
 */

/** Serialized rows by id. */
export interface EtagDependencies {
  readonly users: ReadonlyMap<number, string>
  readonly requestTypes: ReadonlyMap<number, string>
}

/** Sorted, distinct ids. */
export interface DependencyIds {
  readonly users: readonly number[]
  readonly requestTypes: readonly number[]
}

/** The columns of `dependencyColumns`: unsorted serialized rows, each of which starts with an id. */
export const SerializedDependencies = Type.Object({ users: Type.Array(Type.String()), requestTypes: Type.Array(Type.String()) })

/** More ids would make the ETag too long. */
const DEPENDENCIES_MAX = 300

/** Returns the columns of `SerializedDependencies`; `ids` are SQL arrays. */
export const dependencyColumns = (ids: Readonly<Record<keyof DependencyIds, Sql>>) => sql`
  coalesce((SELECT json_agg(${serializedSummary(sql`users`)}) FROM users WHERE users.id = ANY(${ids.users})), '[]') AS users,
  coalesce((
    SELECT json_agg(concat_ws(E'\\n', request_types.id, coalesce(organizations.id, 0), octet_length(request_types.title),
      request_types.title || coalesce(organizations.name, '')))
    FROM request_types LEFT JOIN organizations ON organizations.id = request_types.organization_id
    WHERE request_types.id = ANY(${ids.requestTypes})), '[]') AS "requestTypes"`

/** The length delimits the title, which may contain any character. */
function toSerializedRequestType({ id, title, organization, organization_id, ...more }: RequestTypeRow): string {
  // A new property of the row must become part of the text; until then this does not compile.
  more satisfies Record<string, never>
  return [id, organization_id ?? 0, Buffer.byteLength(title), `${title}${organization ?? ''}`].join('\n')
}

export const toIdArrays = (ids: DependencyIds) => ({
  users: sql`${ids.users}::integer[]`,
  requestTypes: sql`${ids.requestTypes}::integer[]`,
})

export const toSerializedById = (rows: readonly string[]): ReadonlyMap<number, string> =>
  new Map(rows.map((serialized) => [Number.parseInt(serialized, 10), serialized]))

export function pickSerialized(serializedById: ReadonlyMap<number, string>, ids: readonly number[]): ReadonlyMap<number, string> {
  const picked = new Map<number, string>()
  for (const id of ids) {
    const serialized = serializedById.get(id)
    if (serialized !== undefined) picked.set(id, serialized)
  }
  return picked
}

/** Returns each user and request type of a list once; undefined if one of them changed during the read or if there are too many. */
export function collectDependencies(
  users: readonly (UserSummaryRow | null)[],
  requestTypes: readonly (RequestTypeRow | null)[],
): EtagDependencies | undefined {
  const [serializedUsers, serializedTypes] = [
    collectSerialized(users, toSerializedSummary),
    collectSerialized(requestTypes, toSerializedRequestType),
  ]
  if (!serializedUsers || !serializedTypes || serializedUsers.size + serializedTypes.size > DEPENDENCIES_MAX) return undefined
  return { users: serializedUsers, requestTypes: serializedTypes }
}

function collectSerialized<Row extends { readonly id: number }>(rows: readonly (Row | null)[], toSerialized: (row: Row) => string) {
  const serializedById = new Map<number, string>()
  for (const row of rows) {
    if (!row) continue
    const [serialized, earlier] = [toSerialized(row), serializedById.get(row.id)]
    if (earlier !== undefined && earlier !== serialized) return undefined
    serializedById.set(row.id, serialized)
  }
  return pickSerialized(
    serializedById,
    [...serializedById.keys()].sort((a, b) => a - b),
  )
}

export const getDependencyIds = ({ users, requestTypes }: EtagDependencies): DependencyIds => ({
  users: [...users.keys()],
  requestTypes: [...requestTypes.keys()],
})

export const listSerialized = ({ users, requestTypes }: EtagDependencies): string[] => [...users.values(), ...requestTypes.values()]

/** Returns the ids in base 36: users, then request types. */
export const formatDependencyIds = ({ users, requestTypes }: EtagDependencies): string =>
  `${formatIds(users)}~${formatIds(requestTypes)}`

const formatIds = (serializedById: ReadonlyMap<number, string>) =>
  Array.from(serializedById.keys(), (id) => id.toString(36)).join('.')

/** Parses the ids of an ETag; undefined for any text that `formatDependencyIds` does not produce. */
export function parseDependencyIds(encoded: string | undefined): DependencyIds | undefined {
  const parts = /^([0-9a-z.]*)~([0-9a-z.]*)$/.exec(encoded ?? '')
  const [users, requestTypes] = [parseIds(parts?.[1]), parseIds(parts?.[2])]
  if (!users || !requestTypes || users.length + requestTypes.length > DEPENDENCIES_MAX) return undefined
  return { users, requestTypes }
}

function parseIds(encoded: string | undefined): number[] | undefined {
  if (encoded === undefined) return undefined
  const ids = encoded === '' ? [] : encoded.split('.').map((part) => Number.parseInt(part, 36))
  let previous = 0
  for (const id of ids) {
    if (!(id > previous && id <= 2 ** 31 - 1)) return undefined
    previous = id
  }
  return ids
}
