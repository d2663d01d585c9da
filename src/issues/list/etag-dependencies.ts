import Type from 'typebox'

import { type Sql, sql } from '../../database/database.ts'
import { toSummaryText, type UserSummaryRow } from '../../users/present.ts'
import { summaryText } from '../../users/queries.ts'
import type { RequestTypeRow } from '../queries.ts'

/**
 * The users and request types that a list shows are listed in its ETag (docs/adr/0005), and the digest covers their visible data.
 * PostgreSQL and this module build the same short text for each, so that a 304 needs little more than reading these texts.
 */

export interface EtagDependencies {
  readonly people: ReadonlyMap<number, string>
  readonly types: ReadonlyMap<number, string>
}

/** Sorted, distinct ids. */
export interface DependencyIds {
  readonly people: readonly number[]
  readonly types: readonly number[]
}

/** The columns of `dependencyColumns`: unsorted texts, each of which starts with an id. */
export const DependencyTexts = Type.Object({ people: Type.Array(Type.String()), types: Type.Array(Type.String()) })

/** More ids would make the ETag too long. */
const DEPENDENCIES_MAX = 300

/**
 * Returns the columns of a `DependencyTexts`.
 * @param ids SQL arrays of the ids to look up
 */
export const dependencyColumns = (ids: Readonly<Record<keyof DependencyIds, Sql>>) => sql`
  coalesce((SELECT json_agg(${summaryText(sql`u`)}) FROM users u WHERE u.id = ANY(${ids.people})), '[]') AS people,
  coalesce((
    SELECT json_agg(concat_ws(E'\\n', rt.id, coalesce(o.id, 0), octet_length(rt.title), rt.title || coalesce(o.name, '')))
    FROM request_types rt LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.id = ANY(${ids.types})), '[]') AS types`

/** The length delimits the title, which may contain any character. */
function toRequestTypeText({ id, title, organization, organization_id, ...more }: RequestTypeRow): string {
  more satisfies Record<string, never>
  return [id, organization_id ?? 0, Buffer.byteLength(title), `${title}${organization ?? ''}`].join('\n')
}

export const toIdArrays = (ids: DependencyIds) => ({ people: sql`${ids.people}::integer[]`, types: sql`${ids.types}::integer[]` })

/** Returns the texts by the id with which each starts. */
export const indexById = (texts: readonly string[]): ReadonlyMap<number, string> =>
  new Map(texts.map((text) => [Number.parseInt(text, 10), text]))

/** Returns the texts of the ids that exist, in the order of `ids`. */
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
  people: readonly (UserSummaryRow | null)[],
  types: readonly (RequestTypeRow | null)[],
): EtagDependencies | undefined {
  const [peopleTexts, typeTexts] = [collectUniqueTexts(people, toSummaryText), collectUniqueTexts(types, toRequestTypeText)]
  if (!peopleTexts || !typeTexts || peopleTexts.size + typeTexts.size > DEPENDENCIES_MAX) return undefined
  return { people: peopleTexts, types: typeTexts }
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

export const getDependencyIds = ({ people, types }: EtagDependencies): DependencyIds => ({
  people: [...people.keys()],
  types: [...types.keys()],
})

export const listDependencyTexts = ({ people, types }: EtagDependencies): string[] => [...people.values(), ...types.values()]

/** Returns the ids as the ETag contains them: base 36, users, then request types. */
export const formatDependencyIds = ({ people, types }: EtagDependencies): string => `${formatIds(people)}~${formatIds(types)}`

const formatIds = (texts: ReadonlyMap<number, string>) => Array.from(texts.keys(), (id) => id.toString(36)).join('.')

/** Parses the ids of an ETag; undefined for any text that `formatDependencyIds` does not produce. */
export function parseDependencyIds(text: string | undefined): DependencyIds | undefined {
  const parts = /^([0-9a-z.]*)~([0-9a-z.]*)$/.exec(text ?? '')
  const [people, types] = [parseIds(parts?.[1]), parseIds(parts?.[2])]
  if (!people || !types || people.length + types.length > DEPENDENCIES_MAX) return undefined
  return { people, types }
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
