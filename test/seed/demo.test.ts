import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { categories } from '../../prisma/seeds/categories.ts'
import { DemoRefused, seedDemo } from '../../prisma/seeds/demo/demo.ts'
import { warningOfOpenLogins } from '../../prisma/seeds/demo/open-logins.ts'
import { verify } from '@node-rs/argon2'
import { raw, sql, type Database } from '../../src/database/database.ts'
import { credentialCheck } from '../../src/http/identity/credentials.ts'
import { wittyTitle } from '../../src/users/rules.ts'
import { importOrganizations } from '../../src/imports/organizations/import-organizations.ts'
import { readOrganizationValue } from '../../src/imports/organizations/organization-file.ts'
import { openTestDatabase, reset } from '../helpers/database.ts'
import { officialsByCity, organizationsOf } from './organizations-of.ts'

const NOW = new Date('2026-03-10T15:00:00Z')
const options = { now: NOW, issuesPerCity: 120, say: () => {} }
const citiesByName = ['baltimore', 'denver', 'new-orleans', 'philadelphia', 'richmond', 'san-francisco', 'st-louis', 'washington']

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
  await seedDemo(database, options)
})
afterAll(() => database.close())

const count = async (from: string): Promise<number> => {
  const [row] = await database.query<{ count: number }>(sql`SELECT count(*) AS count FROM ${raw(from)}`)
  return row?.count ?? Number.NaN
}

/** One hash over every row, but for what cannot be the same twice: salts, and what triggers stamp with the clock. */
async function checksum(): Promise<string> {
  // Cell 0 of the pyramid and the versions of tables are random numbers, others in each database and after each emptying of one.
  const tables = await database.query<{ name: string }>(sql`
    SELECT t.tablename AS name FROM pg_tables t
    WHERE t.schemaname = 'public'
      AND t.tablename NOT IN ('_prisma_migrations', 'spatial_ref_sys', 'search_words', 'removals', 'issue_cells', 'table_versions')
    ORDER BY t.tablename`)
  const hash = createHash('sha256')
  const stamped = ['password_hash', 'revision', 'inner_revision', 'changed_at', 'profile_changed_at', 'inner_changed_at']
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(sql`
      SELECT (to_jsonb(t) - ${stamped}::text[])::text AS row FROM ${raw(`"${name}"`)} t ORDER BY 1`)
    hash.update(JSON.stringify([name, rows]))
  }
  return hash.digest('hex')
}

describe('the demo', () => {
  test('has every city with its county and its state, each with a centre inside', async () => {
    const places = await database.query<{ url_name: string; place_type: string; county: string | null; inside: boolean }>(sql`
      SELECT p.url_name, p.place_type, p.county,
             ST_Covers(p.boundary, ST_SetSRID(ST_MakePoint(p.center_lng, p.center_lat), 4326)) AS inside
      FROM places p ORDER BY p.url_name`)

    expect(places.filter(({ inside }) => !inside)).toEqual([])
    expect(places.filter(({ place_type }) => place_type === 'City').map(({ url_name }) => url_name)).toEqual(citiesByName)
    expect(places.filter(({ place_type }) => place_type === 'State')).toHaveLength(8)
    expect(places.filter(({ place_type, county }) => place_type !== 'State' && county === null)).toEqual([])
  })

  test('has as many issues as asked for, each inside its city', async () => {
    const cities = await database.query(sql`
      SELECT p.url_name, count(*) AS issues
      FROM places p JOIN issues i ON ST_Covers(p.boundary, i.point) AND i.address LIKE '%, ' || p.name || ', ' || p.state
      WHERE p.place_type = 'City' GROUP BY p.url_name ORDER BY p.url_name`)

    expect(cities).toEqual(citiesByName.map((url_name) => ({ url_name, issues: options.issuesPerCity })))
  })

  test('has potholes, open issues within 2 km of the centre and people who share their place in each city', async () => {
    const cities = await database.query<{ url_name: string; potholes: number; near: number; shared: number }>(sql`
      SELECT p.url_name,
        (SELECT count(*) FROM issues i WHERE ST_Covers(p.boundary, i.point) AND i.summary ~* '\\mpotholes?\\M') AS potholes,
        (SELECT count(*) FROM issues i WHERE i.status = 'Open' AND i.moderation_state = 'passed'
           AND ST_DWithin(i.point::geography, ST_SetSRID(ST_MakePoint(p.center_lng, p.center_lat), 4326)::geography, 2000)) AS near,
        (SELECT count(*) FROM users u WHERE u.share_location AND ST_DWithin(p.boundary, u.location, 0.01)) AS shared
      FROM places p WHERE p.place_type = 'City' ORDER BY p.url_name`)

    expect(cities.map(({ url_name }) => url_name)).toEqual(citiesByName)
    expect(Math.min(...cities.map(({ potholes }) => potholes))).toBeGreaterThanOrEqual(1)
    expect(Math.min(...cities.map(({ near }) => near))).toBeGreaterThanOrEqual(3)
    expect(Math.min(...cities.map(({ shared }) => shared))).toBeGreaterThanOrEqual(3)
  })

  test('tells by no time of a person who reported anonymously', async () => {
    const telling = await database.query(sql`
      SELECT i.id FROM issues i JOIN users u ON u.id = i.reporter_id
      WHERE (i.anonymous OR i.moderation_state <> 'passed') AND i.created_at IN (u.updated_at, u.created_at)`)

    expect(telling).toEqual([])
  })

  test('has nothing that is Closed for longer than seven days, and nothing Archived for less', async () => {
    const sevenDaysAgo = new Date(NOW.getTime() - 7 * 24 * 60 * 60 * 1000).toISOString()
    const [found] = await database.query(sql`
      SELECT count(*) FILTER (WHERE i.status = 'Closed' AND i.closed_at <= ${sevenDaysAgo}::timestamptz) AS overdue,
             count(*) FILTER (WHERE i.status = 'Archived' AND i.closed_at > ${sevenDaysAgo}::timestamptz) AS early,
             count(DISTINCT i.status) AS states
      FROM issues i`)

    expect(found).toEqual({ overdue: 0, early: 0, states: 4 })
  })

  test('has a history that ends in the state of each issue, made of moves that the interface allows, each with its comment', async () => {
    const [history] = await database.query(sql`
      WITH moves AS (
        SELECT s.*, lag(s.to_status) OVER w AS before, lag(s.created_at) OVER w AS before_at,
               row_number() OVER (PARTITION BY s.issue_id ORDER BY s.id DESC) = 1 AS last
        FROM status_changes s WINDOW w AS (PARTITION BY s.issue_id ORDER BY s.id)
      )
      SELECT count(*) FILTER (WHERE m.last AND m.to_status <> i.status) AS wrong_end,
             count(*) FILTER (WHERE m.from_status IS DISTINCT FROM m.before OR m.created_at < m.before_at) AS broken,
             count(*) FILTER (WHERE m.from_status <> 'Archived' AND m.to_status <> 'Archived' AND c.issue_id IS DISTINCT FROM i.id) AS silent,
             count(*) FILTER (WHERE (m.from_status, m.to_status) NOT IN
               (('Open', 'Acknowledged'), ('Open', 'Closed'), ('Acknowledged', 'Closed'), ('Closed', 'Open'), ('Closed', 'Archived'))) AS forbidden,
             count(*) FILTER (WHERE (m.to_status = 'Acknowledged' OR m.from_status = 'Acknowledged') AND u.role <> 'Verified Official') AS by_nobody,
             count(DISTINCT i.id) AS issues
      FROM moves m JOIN issues i ON i.id = m.issue_id LEFT JOIN comments c ON c.id = m.comment_id LEFT JOIN users u ON u.id = m.actor_id`)

    expect(history).toEqual({
      ...{ wrong_end: 0, broken: 0, silent: 0, forbidden: 0, by_nobody: 0 },
      issues: 8 * options.issuesPerCity,
    })
  })

  test('has stamps that tell the same as the history and the comments', async () => {
    const [wrong] = await database.query(sql`
      SELECT count(*) FILTER (WHERE i.acknowledged_at IS DISTINCT FROM
               (SELECT max(s.created_at) FROM status_changes s WHERE s.issue_id = i.id AND s.to_status = 'Acknowledged')) AS acknowledged,
             count(*) FILTER (WHERE i.closed_at IS DISTINCT FROM
               (SELECT max(s.created_at) FROM status_changes s WHERE s.issue_id = i.id AND s.to_status = 'Closed')) AS closed,
             count(*) FILTER (WHERE i.reopened_at IS DISTINCT FROM
               (SELECT max(s.created_at) FROM status_changes s WHERE s.issue_id = i.id AND s.from_status = 'Closed' AND s.to_status = 'Open')) AS reopened,
             count(*) FILTER (WHERE i.updated_at <> coalesce((SELECT max(c.created_at) FROM comments c
               WHERE c.issue_id = i.id AND c.moderation_state = 'passed'), i.created_at)) AS updated
      FROM issues i`)

    expect(wrong).toEqual({ acknowledged: 0, closed: 0, reopened: 0, updated: 0 })
  })

  test('counts votes and civic points as they were given', async () => {
    const votes = await database.query(sql`
      SELECT i.id FROM issues i WHERE i.vote_count <> (SELECT count(*) FROM votes v WHERE v.issue_id = i.id)`)
    const people = await database.query<{ civic_points: number; earned: number }>(sql`
      SELECT u.civic_points,
        10 * (SELECT count(*) FROM issues i WHERE i.reporter_id = u.id AND NOT i.anonymous AND i.moderation_state = 'passed')
        + 5 * (SELECT count(*) FROM comments c WHERE c.commenter_id = u.id AND c.moderation_state = 'passed')
        + 5 * (SELECT count(*) FROM votes v WHERE v.user_id = u.id) AS earned
      FROM users u ORDER BY u.id`)

    expect(votes).toEqual([])
    expect(people.filter(({ civic_points, earned }) => civic_points !== earned)).toEqual([])
    expect(new Set(people.map(({ civic_points }) => wittyTitle(civic_points))).size).toBeGreaterThanOrEqual(3)
  })

  test('lets nobody act before they had an account, and reporters follow what they report', async () => {
    const [wrong] = await database.query(sql`
      SELECT (SELECT count(*) FROM issues i JOIN users u ON u.id = i.reporter_id WHERE i.created_at < u.created_at) AS reports,
             (SELECT count(*) FROM comments c JOIN users u ON u.id = c.commenter_id WHERE c.created_at < u.created_at) AS comments,
             (SELECT count(*) FROM issues i WHERE NOT EXISTS
               (SELECT FROM follows f WHERE f.issue_id = i.id AND f.user_id = i.reporter_id)) AS unfollowed`)

    expect(wrong).toEqual({ reports: 0, comments: 0, unfollowed: 0 })
  })

  test('files each issue under a request type of its category, offered by an organisation of its city or by the community', async () => {
    const wrong = await database.query(sql`
      SELECT i.id FROM issues i JOIN request_types rt ON rt.id = i.request_type_id LEFT JOIN organizations o ON o.id = rt.organization_id
      WHERE rt.category <> i.category OR NOT coalesce(ST_Covers(o.area, i.point), true)`)
    const used = await database.query<{ category: string }>(sql`SELECT DISTINCT i.category FROM issues i ORDER BY i.category`)

    expect(wrong).toEqual([])
    expect(used.filter(({ category }) => !(categories as readonly string[]).includes(category))).toEqual([])
  })

  test('asks questions of every type and keeps some answers private', async () => {
    const types = await database.query<{ type: string }>(sql`
      SELECT DISTINCT q.question_type AS type FROM request_type_questions q ORDER BY q.question_type`)

    expect(types.map(({ type }) => type)).toEqual(
      ['boolean', 'datetime', 'file', 'multivaluelist', 'note', 'number', 'select', 'text', 'textarea'].sort(),
    )
    expect(await count('issue_answers WHERE answer_kept_private')).toBeGreaterThan(0)
  })

  test('has organisations just as an import makes them, each with a login in its city and the area of it', async () => {
    const file = readOrganizationValue(await organizationsOf(database), 'demo.json')

    const report = await importOrganizations(database, file, 'demo.json')
    const cities = await officialsByCity(database)

    const unchanged = (entries: number) => ({ new: 0, changed: 0, unchanged: entries, retired: 0 })
    expect(report).toEqual({
      organizations: unchanged(await count('organizations')),
      requestTypes: unchanged(await count('request_types')),
      questions: unchanged(await count('request_type_questions')),
      ...{ members: unchanged(0), waiting: [], ignoredKeys: [] },
    })
    expect(cities).toHaveLength(8)
    expect(Math.min(...cities.map(({ officials }) => officials))).toBeGreaterThanOrEqual(1)
  })

  test('holds one report, one comment and one question back', async () => {
    expect(await count("issues WHERE moderation_state = 'held'")).toBe(1)
    expect(await count("comments WHERE moderation_state = 'held'")).toBe(1)
    expect(await count("questions WHERE moderation_state = 'held'")).toBe(1)
    expect(await count('moderation_items')).toBe(3)
  })

  test('has accounts to log in to', async () => {
    const logins = await database.query<{ email: string; hash: string; role: string; works: boolean }>(sql`
      SELECT e.email, u.password_hash AS hash, u.role,
             EXISTS (SELECT FROM organization_members m WHERE m.user_id = u.id) AS works
      FROM emails e JOIN users u ON u.id = e.user_id WHERE e.confirmed_at IS NOT NULL ORDER BY e.email`)
    const official = logins.find(({ email }) => email === 'official@denver.example.org')

    expect(logins).toHaveLength(11)
    expect(official).toMatchObject({ role: 'Verified Official', works: true })
    expect(await verify(official?.hash ?? '', 'demo-official')).toBe(true)
  })

  test('warns of the accounts whose passwords everybody can read, until none is left', async () => {
    const { byPassword } = credentialCheck(database)
    const isRight = async (email: string, password: string) => (await byPassword(email, password)) !== undefined
    const changed = (emails: string) =>
      database.query(sql`
      UPDATE users u SET password_hash = NULL FROM emails e WHERE e.user_id = u.id AND e.email LIKE ${emails} RETURNING u.id`)

    const all = await warningOfOpenLogins(database, isRight)
    await changed('official@%')
    await changed('admin@%')
    const two = await warningOfOpenLogins(database, isRight)
    await changed('%')
    const none = await warningOfOpenLogins(database, isRight)

    const begin = 'Warning: others may reach this service, and anybody may log in to'
    const end = 'the passwords stand in docs/demo.md. For people who are real begin a new database with DEMO=off.'
    expect(all).toBe(`${begin} admin@example.org (may do everything, everywhere) and into 10 more of the demo: ${end}`)
    expect(two).toBe(
      `${begin} moderator@denver.example.org (moderates for Denver Public Works) and into 1 more of the demo: ${end}`,
    )
    expect(none).toBeUndefined()
  })

  test('leaves the next ids free', async () => {
    const [made] = await database.query<{ id: number; last: number }>(sql`
      INSERT INTO users (name) VALUES ('Somebody new') RETURNING id, (SELECT max(u.id) FROM users u) AS last`)
    await database.query(sql`DELETE FROM users u WHERE u.id = ${made?.id}`)

    expect(made?.id).toBe((made?.last ?? 0) + 1)
  })
})

describe('seeding', () => {
  test('a second time changes nothing', async () => {
    const before = await checksum()

    expect(await seedDemo(database, { ...options, seed: 7 })).toMatchObject({ added: false })

    expect(await checksum()).toBe(before)
  })

  test('with the same seed and day gives the same rows, with another seed others', async () => {
    const first = await checksum()
    await reset(database)
    await seedDemo(database, { ...options, now: new Date(NOW.getTime() + 2 * 60 * 60 * 1000) })
    const again = await checksum()
    await reset(database)
    await seedDemo(database, { ...options, seed: 7 })

    expect(again).toBe(first)
    expect(await checksum()).not.toBe(first)
  })

  test('beside other data gives the demo ids after theirs', async () => {
    await reset(database)
    await database.query(sql`INSERT INTO users (name) VALUES ('Here before')`)

    await seedDemo(database, { ...options, issuesPerCity: 3 })

    const [found] = await database.query(sql`SELECT u.id, u.civic_points FROM users u WHERE u.name = 'Here before'`)
    expect(found).toEqual({ id: 1, civic_points: 0 })
    expect(await count('issues')).toBe(24)
  })

  test('refuses, and names it, when something of the demo is there under the same name', async () => {
    await reset(database)
    await database.query(sql`
      WITH somebody AS (INSERT INTO users (name) VALUES ('Somebody') RETURNING id)
      INSERT INTO emails (user_id, email) SELECT s.id, 'Admin@Example.org' FROM somebody s`)

    const seeding = seedDemo(database, options)

    await expect(seeding).rejects.toThrow(DemoRefused)
    await expect(seeding).rejects.toThrow('the e-mail address Admin@Example.org')
    expect(await count('issues')).toBe(0)
  })
})
