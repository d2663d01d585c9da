import { tileStatement } from './reference-tile.ts'
import { pyramidTotal, type Statement } from './reference-totals.ts'

/** Frozen copies of the service's statements, run by the bare `pg` driver. They change only if a response needs other work, never for a ratio. */
export interface City {
  readonly id: number
  readonly lng: number
  readonly lat: number
}

export function largestCity(cities: readonly City[]): City {
  const [city] = cities
  if (!city) throw new Error('The database has no cities.')
  return city
}

export interface Client {
  query(statement: { name?: string; text: string; values: unknown[] }): Promise<{ rows: Record<string, unknown>[] }>
}

export type Work = (client: Client, city: City, issueId: number) => Promise<void>

const CURRENT = `i.moderation_state = 'passed' AND i.status <> 'Archived'`
const IN_BOX = `i.point && ST_MakeEnvelope($1, $2, $3, $4, 4326) AND i.lng BETWEEN $1 AND $3 AND i.lat BETWEEN $2 AND $4`
const IN_PLACE = `ST_Covers((SELECT p.boundary FROM places p WHERE p.id = $1), i.point)`
const POTHOLES = `i.search @@ ((to_tsquery('public.fixpoint_words'::regconfig, 'pothole:*') || to_tsquery('public.fixpoint_stems'::regconfig, 'pothole')))`

const OWN = `i.id, i.status, i.summary, i.description, i.category, i.rating, i.lng, i.lat, i.address, i.created_at, i.updated_at,
  i.acknowledged_at, i.closed_at, i.reopened_at, i.video_url, i.request_type_id, i.reporter_id, i.anonymous,
  i.moderation_state`
const USER = (
  u: string,
) => `json_build_object('id', ${u}.id, 'name', ${u}.name, 'role', ${u}.role, 'civic_points', ${u}.civic_points,
  'avatar_full', ${u}.avatar_full, 'avatar_square', ${u}.avatar_square)`
const RELATED = `
  (SELECT json_build_object('id', rt.id, 'title', rt.title, 'organization', o.name, 'organization_id', o.id)
    FROM request_types rt LEFT JOIN organizations o ON o.id = rt.organization_id WHERE rt.id = i.request_type_id) AS request_type,
  (SELECT ${USER('u')} FROM users u WHERE u.id = i.reporter_id AND NOT i.anonymous) AS reporter,
  (SELECT json_build_object('full', m.full_key, 'square', m.square_key, 'representative', m.representative_key)
    FROM media m WHERE m.issue_id = i.id AND m.comment_id IS NULL AND NOT m.is_answer AND NOT m.answer_kept_private
    ORDER BY m.id LIMIT 1) AS image`

/** Counts without the pyramid, as the service does for filters other than area and status. */
const count = (where: string) => `
  SELECT count(*)::integer AS entries,
    (SELECT greatest(t.reltuples, 0)::integer FROM pg_class t WHERE t.oid = 'issues'::regclass) AS in_table
  FROM issues i WHERE ${CURRENT} AND ${where}`

/** The newest twenty rows by an index scan; the last two parameters are its limit and the offset. */
const scanNewest = (where: string, n: number) => `
  SELECT i.*, ${RELATED} FROM (
    SELECT i.* FROM (
      SELECT ${OWN}, i.point, i.search FROM issues i WHERE ${CURRENT} ORDER BY i.created_at DESC, i.id DESC LIMIT $${n + 1}) i
    WHERE ${where} ORDER BY i.created_at DESC, i.id DESC LIMIT 20 OFFSET $${n + 2}) i
  ORDER BY i.created_at DESC, i.id DESC`

const sortMatching = (where: string, n: number) => `
  SELECT i.*, ${RELATED} FROM (
    SELECT own.* FROM (
      SELECT i.id FROM (SELECT i.id, i.created_at FROM issues i WHERE ${CURRENT} AND ${where} OFFSET 0) i
      ORDER BY i.created_at DESC, i.id DESC LIMIT 20 OFFSET $${n + 1}) cut
    CROSS JOIN LATERAL (SELECT ${OWN} FROM issues i WHERE i.id = cut.id OFFSET 0) own) i
  ORDER BY i.created_at DESC, i.id DESC`

const NEAREST = `
  SELECT i.*, ${RELATED} FROM (
    SELECT i.* FROM (
      SELECT ${OWN}, (i.point::geography <-> ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography) AS distance
      FROM issues i WHERE ${CURRENT} AND i.point::geography IS NOT NULL ORDER BY distance FETCH FIRST 1060 ROWS WITH TIES) i
    ORDER BY i.distance, i.id LIMIT 20) i
  ORDER BY i.distance, i.id`

const DETAILS = `
  SELECT i.id, i.vote_count, i.remote_id, i.remote_title, i.remote_status,
    (SELECT ${USER('a')} FROM users a WHERE a.id = i.assignee_id) AS assignee,
    coalesce((SELECT json_agg(json_build_object('created_at', v.created_at) ORDER BY v.created_at, v.user_id) FROM votes v
      WHERE v.issue_id = i.id), '[]') AS votes,
    coalesce((SELECT json_agg(json_build_object('question', q.question, 'answer', q.answer) ORDER BY q.position, q.id) FROM issue_answers q
      WHERE q.issue_id = i.id AND NOT q.answer_kept_private), '[]') AS questions,
    false AS is_assignee, false AS is_reporter,
    EXISTS (SELECT FROM follows f WHERE f.issue_id = i.id AND f.user_id = NULL::integer) AS is_following,
    EXISTS (SELECT FROM votes v WHERE v.issue_id = i.id AND v.user_id = NULL::integer) AS has_voted
  FROM issues i WHERE i.id = ANY($1::integer[]) ORDER BY i.id`

const COMMENTS = `
  SELECT c.id, c.issue_id, c.comment, c.video_url, c.created_at, c.updated_at,
    CASE WHEN u.id IS NULL THEN NULL ELSE ${USER('u')} END AS commenter,
    (SELECT json_build_object('full', m.full_key, 'square', m.square_key) FROM media m WHERE m.comment_id = c.id ORDER BY m.id LIMIT 1) AS image
  FROM comments c LEFT JOIN users u ON u.id = c.commenter_id
  WHERE c.issue_id = ANY($1::integer[]) AND c.moderation_state = 'passed' ORDER BY c.created_at, c.id`

const ONE = `SELECT ${OWN}, ${RELATED} FROM issues i WHERE i.id = $1 AND i.moderation_state = 'passed'`

const VERSION = `
  SELECT i.public_revision, i.changed_at, people.revisions, rt.title, o.name
  FROM issues i
  LEFT JOIN request_types rt ON rt.id = i.request_type_id
  LEFT JOIN organizations o ON o.id = rt.organization_id
  CROSS JOIN LATERAL (
    SELECT sum(u.summary_revision)::bigint AS revisions FROM users u
    WHERE u.id IN (SELECT i.reporter_id UNION ALL SELECT i.assignee_id
                   UNION ALL SELECT c.commenter_id FROM comments c WHERE c.issue_id = i.id)) people
  WHERE i.id = $1 AND i.moderation_state = 'passed'`

/** Returns the box around a city, as [west, south, east, north] in degrees. */
export function boxAround({ lng, lat }: City, half: number): [west: number, south: number, east: number, north: number] {
  const [west, south] = [Math.max(lng - half, -180), Math.max(lat - half, -90)]
  return [west, south, Math.min(lng + half, 180), Math.min(lat + half, 90)]
}

export const HALF_CITY = 0.05
export const HALF_COUNTRY = 29.5
/** Radius of the circle, about as large as a city. */
export const RADIUS_M = 4_000
export const DEEP_PAGE = 300

type Rows = Record<string, unknown>[]
const ask = async (client: Client, text: string, values: unknown[]): Promise<Rows> => (await client.query({ text, values })).rows

interface Total {
  readonly entries: number
  readonly in_table: number
}

const askTotal = async (client: Client, total: Statement | { text: string; values: unknown[] }) =>
  (await client.query(total)).rows[0] as unknown as Total

async function pageAfter(total: Statement, client: Client, where: string, values: unknown[], page = 1): Promise<Rows> {
  return queryPage(client, where, values, page, await askTotal(client, total))
}

async function pageAfterCount(client: Client, where: string, values: unknown[]): Promise<Rows> {
  return queryPage(client, where, values, 1, await askTotal(client, { text: count(where), values }))
}

const boxPage = (client: Client, city: City, half: number, page = 1) =>
  pageAfter(pyramidTotal.box(boxAround(city, half)), client, IN_BOX, boxAround(city, half), page)

/** Cached totals of cities, to measure the page alone. */
const knownTotals = new Map<number, Total>()

async function pageAlone(client: Client, city: City): Promise<void> {
  const known = knownTotals.get(city.id) ?? (await askTotal(client, pyramidTotal.box(boxAround(city, HALF_CITY))))
  knownTotals.set(city.id, known)
  await queryPage(client, IN_BOX, boxAround(city, HALF_CITY), 1, known)
}

async function queryPage(client: Client, where: string, values: unknown[], page: number, row: Total): Promise<Rows> {
  if (row.entries <= (page - 1) * 20) return []
  const steps = Math.ceil(1_000 + (3 * page * 20 * Math.max(row.in_table, row.entries)) / row.entries)
  return steps < row.entries
    ? ask(client, scanNewest(where, values.length), [...values, steps, (page - 1) * 20])
    : ask(client, sortMatching(where, values.length), [...values, (page - 1) * 20])
}

async function details(client: Client, ids: unknown[]): Promise<void> {
  await ask(client, DETAILS, [ids])
  await ask(client, COMMENTS, [ids])
}

export const reference = {
  cityPage: async (client, city) => void (await boxPage(client, city, HALF_CITY)),
  cityPageAlone: pageAlone,
  cityTotal: async (client, city) => void (await askTotal(client, pyramidTotal.box(boxAround(city, HALF_CITY)))),
  cityPageAfterCount: async (client, city) => void (await pageAfterCount(client, IN_BOX, boxAround(city, HALF_CITY))),
  cityCount: async (client, city) => void (await ask(client, count(IN_BOX), boxAround(city, HALF_CITY))),
  deepPage: async (client, city) => void (await boxPage(client, city, HALF_CITY, DEEP_PAGE)),
  place: async (client, city) => void (await pageAfter(pyramidTotal.place(city.id), client, IN_PLACE, [city.id])),
  nearest: async (client, city) => {
    await askTotal(client, pyramidTotal.everywhere())
    await ask(client, NEAREST, [city.lng, city.lat])
  },
  nearestPageAlone: async (client, city) => void (await ask(client, NEAREST, [city.lng, city.lat])),
  countryPage: async (client, city) => void (await boxPage(client, city, HALF_COUNTRY)),
  countryTotal: async (client, city) => void (await askTotal(client, pyramidTotal.box(boxAround(city, HALF_COUNTRY)))),
  countryCount: async (client, city) => void (await ask(client, count(IN_BOX), boxAround(city, HALF_COUNTRY))),
  searchInPlace: async (client, city) => void (await pageAfterCount(client, `${IN_PLACE} AND ${POTHOLES}`, [city.id])),
  detailsPage: async (client, city) => {
    const rows = await boxPage(client, city, HALF_CITY)
    await details(
      client,
      rows.map(({ id }) => id),
    )
  },
  oneIssue: async (client, _city, issueId) => {
    await ask(client, VERSION, [issueId])
    await ask(client, ONE, [issueId])
    await details(client, [issueId])
  },
  tile: async (client, city) => void (await client.query(tileStatement(city))),
  version: async (client, _city, issueId) => void (await ask(client, VERSION, [issueId])),
} as const satisfies Record<string, Work>
export type ReferenceName = keyof typeof reference
