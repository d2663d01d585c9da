import Type from 'typebox'

import { type Sql, sql } from '../../database/database.ts'
import { toSummaryText, type UserSummaryRow } from '../../users/present.ts'
import { summaryText } from '../../users/queries.ts'
import type { RequestTypeRow } from '../queries.ts'

/**
 * The users and request types that a list shows are listed in its ETag (docs/adr/0005), and the digest covers their visible data.
 * PostgreSQL and this module build the same short text for each, so that a 304 needs little more than reading these texts.
 */

export interface Shown {
  readonly people: ReadonlyMap<number, string>
  readonly types: ReadonlyMap<number, string>
}

/** Sorted, distinct ids. */
export interface ShownIds {
  readonly people: readonly number[]
  readonly types: readonly number[]
}

/** The columns of `shownColumns`: unsorted texts, each of which starts with an id. */
export const ShownTexts = Type.Object({ people: Type.Array(Type.String()), types: Type.Array(Type.String()) })

/** More ids would make the ETag too long. */
const SHOWN_MAX = 300

/**
 * Returns the columns of a `ShownTexts`.
 * @param ids SQL arrays of the ids to look up
 */
export const shownColumns = (ids: Readonly<Record<keyof ShownIds, Sql>>) => sql`
  coalesce((SELECT json_agg(${summaryText(sql`u`)}) FROM users u WHERE u.id = ANY(${ids.people})), '[]') AS people,
  coalesce((
    SELECT json_agg(concat_ws(E'\\n', rt.id, coalesce(o.id, 0), octet_length(rt.title), rt.title || coalesce(o.name, '')))
    FROM request_types rt LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.id = ANY(${ids.types})), '[]') AS types`

/** The length delimits the title, which may contain any character. */
function textOfType({ id, title, organization, organization_id, ...more }: RequestTypeRow): string {
  more satisfies Record<string, never>
  return [id, organization_id ?? 0, Buffer.byteLength(title), `${title}${organization ?? ''}`].join('\n')
}

export const idsOf = (ids: ShownIds) => ({ people: sql`${ids.people}::integer[]`, types: sql`${ids.types}::integer[]` })

/** Returns the texts by the id with which each starts. */
export const byId = (texts: readonly string[]): ReadonlyMap<number, string> =>
  new Map(texts.map((text) => [Number.parseInt(text, 10), text]))

/** Returns the texts of the ids that exist, in the order of `ids`. */
export function among(texts: ReadonlyMap<number, string>, ids: readonly number[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const id of ids) {
    const text = texts.get(id)
    if (text !== undefined) found.set(id, text)
  }
  return found
}

/** Returns each user and request type of a list once; undefined if one of them changed during the read or if there are too many. */
export function shownIn(people: readonly (UserSummaryRow | null)[], types: readonly (RequestTypeRow | null)[]): Shown | undefined {
  const [shownPeople, shownTypes] = [inOneWay(people, toSummaryText), inOneWay(types, textOfType)]
  if (!shownPeople || !shownTypes || shownPeople.size + shownTypes.size > SHOWN_MAX) return undefined
  return { people: shownPeople, types: shownTypes }
}

function inOneWay<Row extends { readonly id: number }>(rows: readonly (Row | null)[], textOf: (row: Row) => string) {
  const texts = new Map<number, string>()
  for (const row of rows) {
    if (!row) continue
    const [text, before] = [textOf(row), texts.get(row.id)]
    if (before !== undefined && before !== text) return undefined
    texts.set(row.id, text)
  }
  return among(
    texts,
    [...texts.keys()].sort((a, b) => a - b),
  )
}

export const idsShown = ({ people, types }: Shown): ShownIds => ({ people: [...people.keys()], types: [...types.keys()] })

export const textsOf = ({ people, types }: Shown): string[] => [...people.values(), ...types.values()]

/** Returns the ids as the ETag contains them: base 36, users, then request types. */
export const carriedText = ({ people, types }: Shown): string => `${idsText(people)}~${idsText(types)}`

const idsText = (texts: ReadonlyMap<number, string>) => Array.from(texts.keys(), (id) => id.toString(36)).join('.')

/** Parses the ids of an ETag; undefined for any text that `carriedText` does not produce. */
export function readCarried(text: string | undefined): ShownIds | undefined {
  const parts = /^([0-9a-z.]*)~([0-9a-z.]*)$/.exec(text ?? '')
  const [people, types] = [idsFrom(parts?.[1]), idsFrom(parts?.[2])]
  if (!people || !types || people.length + types.length > SHOWN_MAX) return undefined
  return { people, types }
}

function idsFrom(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined
  const ids = text === '' ? [] : text.split('.').map((part) => Number.parseInt(part, 36))
  let before = 0
  for (const id of ids) {
    if (!(id > before && id <= 2 ** 31 - 1)) return undefined
    before = id
  }
  return ids
}
