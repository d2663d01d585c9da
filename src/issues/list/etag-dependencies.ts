import { type Sql, sql } from '../../database/database.ts'
import { textOfSummary, type UserSummaryRow } from '../../users/present.ts'
import { summaryText } from '../../users/queries.ts'
import type { RequestTypeRow } from '../queries.ts'

/*
 * The people and request types that show in a list: the tag of the list tells which ones they are (docs/adr/0046), and its digest depends on all that
 * shows of them. That is one short text for each, the same whether PostgreSQL writes it for a version or we write it of a page, since a 304 does little else
 * than to read these.
 */

/** What shows of each, by their ids, the lowest first. */
export interface Shown {
  readonly people: ReadonlyMap<number, string>
  readonly types: ReadonlyMap<number, string>
}

/** Their ids, the lowest first, each once. */
export interface ShownIds {
  readonly people: readonly number[]
  readonly types: readonly number[]
}

/** The columns of `shownColumns`: texts that begin with an id each, in any order. */
export interface ShownTexts {
  readonly people: readonly string[]
  readonly types: readonly string[]
}

/** More than that and the tag would become longer than it is worth. */
const SHOWN_MAX = 300

/** @param ids SQL arrays of whom to look up */
export const shownColumns = (ids: Readonly<Record<keyof ShownIds, Sql>>) => sql`
  coalesce((SELECT json_agg(${summaryText(sql`u`)}) FROM users u WHERE u.id = ANY(${ids.people})), '[]') AS people,
  coalesce((
    SELECT json_agg(concat_ws(E'\\n', rt.id, coalesce(o.id, 0), octet_length(rt.title), rt.title || coalesce(o.name, '')))
    FROM request_types rt LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.id = ANY(${ids.types})), '[]') AS types`

/** The same of a row. The length says where the title ends, which may hold anything. */
function textOfType({ id, title, organization, organization_id, ...more }: RequestTypeRow): string {
  more satisfies Record<string, never>
  return [id, organization_id ?? 0, Buffer.byteLength(title), `${title}${organization ?? ''}`].join('\n')
}

export const idsOf = (ids: ShownIds) => ({ people: sql`${ids.people}::integer[]`, types: sql`${ids.types}::integer[]` })

/** By the ids that the texts begin with. */
export const byId = (texts: readonly string[]): ReadonlyMap<number, string> =>
  new Map(texts.map((text) => [Number.parseInt(text, 10), text]))

/** The texts of those ids that there are, in the order of the ids. */
export function among(texts: ReadonlyMap<number, string>, ids: readonly number[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const id of ids) {
    const text = texts.get(id)
    if (text !== undefined) found.set(id, text)
  }
  return found
}

/**
 * Of all that a list shows, each person and type once; undefined where one shows in two ways, because it changed while the list was read, or
 * where there are too many.
 */
export function shownIn(people: readonly (UserSummaryRow | null)[], types: readonly (RequestTypeRow | null)[]): Shown | undefined {
  const [shownPeople, shownTypes] = [inOneWay(people, textOfSummary), inOneWay(types, textOfType)]
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

/** All of them, one after another. */
export const textsOf = ({ people, types }: Shown): string[] => [...people.values(), ...types.values()]

/** The ids as a tag carries them: base 36, people, then types. */
export const carriedText = ({ people, types }: Shown): string => `${idsText(people)}~${idsText(types)}`

const idsText = (texts: ReadonlyMap<number, string>) => Array.from(texts.keys(), (id) => id.toString(36)).join('.')

/** Undefined for what we would not have written. */
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
