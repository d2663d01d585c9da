import Type, { type Static } from 'typebox'

import { mayAccept } from '../answers/write-answer.ts'
import { plainText } from '../content-policy/plain-text.ts'
import { reasons, DUPLICATE_WINDOW_S } from '../content-policy/policy.ts'
import type { Span } from '../content-policy/words.ts'
import { Count, Id, IdRow, nullable, stringEnum, type Queryable, type Sql, sql } from '../database/database.ts'
import { isInAreaByPointIndex } from '../geo/area.ts'
import { toGeography } from '../geo/shapes.ts'
import { findViewer } from '../http/identity/viewer-queries.ts'
import { actorRole } from '../issue-lifecycle/access.ts'

/** Users are not checked: they come before a moderator only by flags. */
export const checkedTypes = ['issue', 'comment', 'question', 'answer'] as const
type CheckedType = (typeof checkedTypes)[number]

const ItemToCheck = Type.Object({
  id: Id,
  subject_type: stringEnum(checkedTypes),
  subject_id: Id,
  reasons: Type.Array(stringEnum(reasons)),
  author_id: nullable(Id),
  locale: Type.String(),
  lng: Type.Number(),
  lat: Type.Number(),
  place_id: nullable(Id),
  address: nullable(Type.String()),
})
export type ItemToCheck = Static<typeof ItemToCheck>

const subjects: Readonly<Record<CheckedType, (id: number) => Sql>> = {
  issue: (id) => sql`
    SELECT i.reporter_id AS author_id, i.locale, i.lng, i.lat, NULL::integer AS place_id, i.address FROM issues i WHERE i.id = ${id}`,
  comment: (id) => sql`
    SELECT c.commenter_id AS author_id, c.locale, i.lng, i.lat, NULL::integer AS place_id, NULL AS address
    FROM comments c JOIN issues i ON i.id = c.issue_id WHERE c.id = ${id}`,
  question: (id) => sql`
    SELECT q.asker_id AS author_id, q.locale, p.center_lng AS lng, p.center_lat AS lat, p.id AS place_id, NULL AS address
    FROM questions q JOIN places p ON p.id = q.place_id WHERE q.id = ${id}`,
  // A text without a language has the language of its author.
  answer: (id) => sql`
    SELECT a.answerer_id AS author_id, coalesce(a.locale, u.locale, q.locale) AS locale, p.center_lng AS lng, p.center_lat AS lat,
      p.id AS place_id, NULL AS address
    FROM answers a JOIN questions q ON q.id = a.question_id JOIN places p ON p.id = q.place_id LEFT JOIN users u ON u.id = a.answerer_id
    WHERE a.id = ${id}`,
}

/** Returns undefined if the item was decided meanwhile or deleted. */
export const findItemToCheck = (db: Queryable, type: CheckedType, subjectId: number): Promise<ItemToCheck | undefined> =>
  db.query(sql.first(ItemToCheck)`
    SELECT item.id, item.subject_type, item.subject_id, item.reasons, s.author_id, s.locale, s.lng, s.lat, s.place_id, s.address
    FROM moderation_items item
    CROSS JOIN (${subjects[type](subjectId)}) s
    WHERE item.subject_type = ${type} AND item.subject_id = ${subjectId} AND item.state = 'held'`)

const NAMES_WITHIN_M = 2_000

const NAMES_MAX = 500

const NameRow = Type.Object({ name: Type.String() })

/** Returns addresses of public issues and names of places near the item, except addresses that the author wrote. */
export async function listNamesNear(db: Queryable, item: ItemToCheck, words: readonly string[]): Promise<string[]> {
  const { near, overlapping } = areaConditions(item)
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`)
  const rows = await db.query(sql.type(NameRow)`
    SELECT DISTINCT n.name
    FROM (
      (SELECT i.address AS name
      FROM issues i
      WHERE i.moderation_state = 'passed' AND ${near}
        AND (i.reporter_id = ${item.author_id}::integer) IS NOT TRUE AND i.address ILIKE ANY(${patterns}::text[])
      LIMIT ${NAMES_MAX})
      UNION ALL
      SELECT p.name
      FROM places p
      WHERE ${overlapping}
        AND p.name ILIKE ANY(${patterns}::text[])) n
    ORDER BY n.name`)
  return rows.map(({ name }) => name)
}

function areaConditions(item: ItemToCheck): { readonly near: Sql; readonly overlapping: Sql } {
  if (item.place_id !== null) {
    const city = sql`(SELECT c.boundary FROM places c WHERE c.id = ${item.place_id})`
    const area = { kind: 'place', placeId: item.place_id, centre: item } as const
    return {
      near: isInAreaByPointIndex({ point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` }, area),
      overlapping: sql`ST_Intersects(p.boundary, ${city})`,
    }
  }
  const within = (shape: Sql) => sql`ST_DWithin(${shape}::geography, ${toGeography(item)}, ${NAMES_WITHIN_M}::float8, false)`
  return { near: within(sql`i.point`), overlapping: within(sql`ST_Segmentize(p.boundary, 0.05)`) }
}

/** Returns whether the author is now an employee for the issue of the comment, or for the city of the answer. */
export async function isWrittenByEmployee(
  db: Queryable,
  { subject_type, subject_id, author_id, place_id }: ItemToCheck,
): Promise<boolean> {
  const author = author_id === null ? undefined : await findViewer(db, author_id)
  if (!author) return false
  if (subject_type === 'answer') return place_id !== null && mayAccept(db, { place_id, asker_id: null }, author)
  const rows = await db.query(sql.type(IdRow)`
    SELECT c.id
    FROM comments c
    JOIN issues i ON i.id = c.issue_id
    WHERE c.id = ${subject_id} AND ${actorRole(author)} = 'employee'`)
  return rows.length > 0
}

const DuplicateCounts = Type.Object({
  /** The reports of the author, or of all guests, with the identical text within an hour of this one, including it. */
  count: Count,
  rejected: Count,
  /** The number of those reports that have another one within the distance. */
  close: Count,
})

/** @param distance_m reports within this distance count as the same problem */
export const countDuplicateReports = (
  db: Queryable,
  issueId: number,
  distance_m: number,
): Promise<Static<typeof DuplicateCounts>> =>
  db.query(sql.one(DuplicateCounts)`
    WITH same AS MATERIALIZED (
      SELECT o.id, o.point, o.moderation_state
      FROM issues i
      JOIN issues o ON (o.reporter_id = i.reporter_id OR o.reporter_id IS NULL AND i.reporter_id IS NULL AND o.imported_at IS NULL)
        AND comparable_text(concat(o.summary, o.description)) = comparable_text(concat(i.summary, i.description))
        AND o.created_at BETWEEN i.created_at - make_interval(secs => ${DUPLICATE_WINDOW_S}) AND i.created_at + make_interval(secs => ${DUPLICATE_WINDOW_S})
      WHERE i.id = ${issueId})
    SELECT count(*)::integer AS count, (count(*) FILTER (WHERE s.moderation_state = 'rejected'))::integer AS rejected,
      (count(*) FILTER (WHERE EXISTS (
        SELECT FROM same o
        WHERE o.id <> s.id AND ST_DWithin(o.point::geography, s.point::geography, ${distance_m}::float8, false))))::integer AS close
    FROM same s`)

/** A name continues beyond these words ("Rue de la Pute"). */
const stopWords = new Set(
  [
    'a an and at by for from in into is it near next of off on or our over the this that to under up was with you your',
    'al con da das de del der des di do du e el en et i la las le les los o por sur un una une und vom von y zu zum zur',
  ].flatMap((line) => line.split(' ')),
)

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu
const WITHIN_A_NAME = /^[\s\u2010-\u2015-]+$/

interface Word extends Span {
  readonly word: string
}

const splitWords = (text: string): Word[] =>
  [...text.matchAll(WORD)].map((match) => ({
    word: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }))

const isDistinctive = ({ word }: Word) => word.length > 1 && !/^\p{N}/u.test(word) && !stopWords.has(word)

interface Names {
  readonly parts: readonly string[]
}

export function splitNames(texts: readonly string[]): Names {
  const parts = texts.flatMap((text) => plainText(text).split(/[,;()\n]/))
  return { parts: [...new Set(parts.map((part) => joinWords(splitWords(part))))] }
}

const joinWords = (words: readonly Word[]) => ` ${words.map(({ word }) => word).join(' ')} `

/**
 * Returns the span with the next distinctive word before or after it, if a nearby address or place name contains both.
 * @param text from `plainText`
 */
export function findEnclosingName(text: string, span: Span, { parts }: Names, isAddress = false): string | undefined {
  const words = splitWords(text)
  const first = words.findIndex(({ end }) => end > span.start)
  const last = words.findLastIndex(({ start }) => start < span.end)
  if (first === -1 || last < first) return undefined
  const candidates = [extendToNextWord(text, words, first, last, -1), extendToNextWord(text, words, first, last, 1)]
  const match = candidates.find((row) => row && parts.some((part) => part.includes(joinWords(row))))
  if (match) return joinWords(match).trim()
  const alone = joinWords(words.slice(first, last + 1))
  return isAddress && parts.some((part) => part.replaceAll(/ (?=\p{N})\S+(?= )/gu, '') === alone) ? alone.trim() : undefined
}

/** Returns undefined if the name ends before the next distinctive word. */
function extendToNextWord(text: string, words: readonly Word[], first: number, last: number, step: -1 | 1): Word[] | undefined {
  for (let [from, to] = [first, last]; ;) {
    const [left, right] = step === -1 ? [words[from - 1], words[from]] : [words[to], words[to + 1]]
    if (!left || !right || !WITHIN_A_NAME.test(text.slice(left.end, right.start))) return undefined
    if (step === -1) from -= 1
    else to += 1
    if (isDistinctive(step === -1 ? left : right)) return words.slice(from, to + 1)
  }
}
