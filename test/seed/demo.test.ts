import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { categories } from '../../prisma/seeds/categories.ts'
import { seedDemo } from '../../prisma/seeds/demo/demo.ts'
import { holidaysOf } from '../../prisma/seeds/demo/targets.ts'
import { publicPasswordWarning } from '../../prisma/seeds/demo/public-password-warning.ts'
import { verify } from '@node-rs/argon2'
import { raw, sql, type Database } from '../../src/database/database.ts'
import { createCredentialCheck } from '../../src/http/identity/credentials.ts'
import { questionTypes } from '../../src/request-types/schema.ts'
import { wittyTitle } from '../../src/users/rules.ts'
import { importOrganizations } from '../../src/imports/organizations/import-organizations.ts'
import { readOrganizationValue } from '../../src/imports/organizations/organization-file.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { officialsByCity, organizationsOf } from './organizations-of.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { readStaffWork, readTargets } from './staff-work.ts'

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
  const [row] = await queryRows<{ count: number }>(database, sql`SELECT count(*) AS count FROM ${raw(from)}`)
  return row?.count ?? Number.NaN
}

describe('demo data', () => {
  it('has every city with its county and state, each with a centre inside', async () => {
    const places = await queryRows<{ url_name: string; place_type: string; county: string | null; inside: boolean }>(
      database,
      sql`
      SELECT p.url_name, p.place_type, p.county,
             ST_Covers(p.boundary, ST_SetSRID(ST_MakePoint(p.center_lng, p.center_lat), 4326)) AS inside
      FROM places p ORDER BY p.url_name`,
    )

    expect(places.filter(({ inside }) => !inside)).toEqual([])
    expect(places.filter(({ place_type }) => place_type === 'City').map(({ url_name }) => url_name)).toEqual(citiesByName)
    expect(places.filter(({ place_type }) => place_type === 'State')).toHaveLength(8)
    expect(places.filter(({ place_type, county }) => place_type !== 'State' && county === null)).toEqual([])
  })

  it('has the requested number of issues, each inside its city', async () => {
    const cities = await queryRows(
      database,
      sql`
      SELECT p.url_name, count(*) AS issues
      FROM places p JOIN issues i ON ST_Covers(p.boundary, i.point) AND i.address LIKE '%, ' || p.name || ', ' || p.state
      WHERE p.place_type = 'City' GROUP BY p.url_name ORDER BY p.url_name`,
    )

    expect(cities).toEqual(citiesByName.map((url_name) => ({ url_name, issues: options.issuesPerCity })))
  })

  it('has potholes, open issues within 2 km of the centre and users with a shared location in each city', async () => {
    const cities = await queryRows<{ url_name: string; potholes: number; near: number; shared: number }>(
      database,
      sql`
      SELECT p.url_name,
        (SELECT count(*) FROM issues i WHERE ST_Covers(p.boundary, i.point) AND i.summary ~* '\\mpotholes?\\M') AS potholes,
        (SELECT count(*) FROM issues i WHERE i.status = 'Open' AND i.moderation_state = 'passed'
           AND ST_DWithin(i.point::geography, ST_SetSRID(ST_MakePoint(p.center_lng, p.center_lat), 4326)::geography, 2000)) AS near,
        (SELECT count(*) FROM users u WHERE u.share_location AND ST_DWithin(p.boundary, u.location, 0.01)) AS shared
      FROM places p WHERE p.place_type = 'City' ORDER BY p.url_name`,
    )

    expect(cities.map(({ url_name }) => url_name)).toEqual(citiesByName)
    expect(Math.min(...cities.map(({ potholes }) => potholes))).toBeGreaterThanOrEqual(1)
    expect(Math.min(...cities.map(({ near }) => near))).toBeGreaterThanOrEqual(3)
    expect(Math.min(...cities.map(({ shared }) => shared))).toBeGreaterThanOrEqual(3)
  })

  it('reveals no anonymous reporter by timestamps', async () => {
    const telling = await queryRows(
      database,
      sql`
      SELECT i.id FROM issues i JOIN users u ON u.id = i.reporter_id
      WHERE (i.anonymous OR i.moderation_state <> 'passed') AND i.created_at IN (u.updated_at, u.created_at)`,
    )

    expect(telling).toEqual([])
  })

  it('has no issue Closed for more than seven days, and none Archived earlier', async () => {
    const sevenDaysAgo = new Date(NOW.getTime() - 7 * 24 * 60 * 60 * 1000).toISOString()
    const [found] = await queryRows(
      database,
      sql`
      SELECT count(*) FILTER (WHERE i.status = 'Closed' AND i.closed_at <= ${sevenDaysAgo}::timestamptz) AS overdue,
             count(*) FILTER (WHERE i.status = 'Archived' AND i.closed_at > ${sevenDaysAgo}::timestamptz) AS early,
             count(DISTINCT i.status) AS states
      FROM issues i`,
    )

    expect(found).toEqual({ overdue: 0, early: 0, states: 4 })
  })

  it('has a history of allowed transitions with comments that ends in the status of each issue', async () => {
    const [history] = await queryRows(
      database,
      sql`
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
             count(*) FILTER (WHERE (m.to_status = 'Acknowledged' OR m.from_status = 'Acknowledged') AND u.role <> 'Verified Official') AS by_resident,
             count(DISTINCT i.id) AS issues
      FROM moves m JOIN issues i ON i.id = m.issue_id LEFT JOIN comments c ON c.id = m.comment_id LEFT JOIN users u ON u.id = m.actor_id`,
    )

    expect(history).toEqual({
      ...{ wrong_end: 0, broken: 0, silent: 0, forbidden: 0, by_resident: 0 },
      issues: 8 * options.issuesPerCity,
    })
  })

  it('has timestamps that match the history and the comments', async () => {
    const [wrong] = await queryRows(
      database,
      sql`
      SELECT count(*) FILTER (WHERE i.acknowledged_at IS DISTINCT FROM
               (SELECT max(s.created_at) FROM status_changes s WHERE s.issue_id = i.id AND s.to_status = 'Acknowledged')) AS acknowledged,
             count(*) FILTER (WHERE i.closed_at IS DISTINCT FROM
               (SELECT max(s.created_at) FROM status_changes s WHERE s.issue_id = i.id AND s.to_status = 'Closed')) AS closed,
             count(*) FILTER (WHERE i.reopened_at IS DISTINCT FROM
               (SELECT max(s.created_at) FROM status_changes s WHERE s.issue_id = i.id AND s.from_status = 'Closed' AND s.to_status = 'Open')) AS reopened,
             count(*) FILTER (WHERE i.updated_at <> coalesce((SELECT max(c.created_at) FROM comments c
               WHERE c.issue_id = i.id AND c.moderation_state = 'passed'), i.created_at)) AS updated
      FROM issues i`,
    )

    expect(wrong).toEqual({ acknowledged: 0, closed: 0, reopened: 0, updated: 0 })
  })

  it('has counters that match votes and civic points', async () => {
    const votes = await queryRows(
      database,
      sql`
      SELECT i.id FROM issues i WHERE i.vote_count <> (SELECT count(*) FROM votes v WHERE v.issue_id = i.id)`,
    )
    const people = await queryRows<{ civic_points: number; earned: number }>(
      database,
      sql`
      SELECT u.civic_points,
        10 * (SELECT count(*) FROM issues i WHERE i.reporter_id = u.id AND NOT i.anonymous AND i.moderation_state = 'passed')
        + 5 * (SELECT count(*) FROM comments c WHERE c.commenter_id = u.id AND c.moderation_state = 'passed')
        + 5 * (SELECT count(*) FROM votes v WHERE v.user_id = u.id) AS earned
      FROM users u ORDER BY u.id`,
    )

    expect(votes).toEqual([])
    expect(people.filter(({ civic_points, earned }) => civic_points !== earned)).toEqual([])
    expect(new Set(people.map(({ civic_points }) => wittyTitle(civic_points))).size).toBeGreaterThanOrEqual(3)
  })

  it('has no action before its account was created, and reporters follow their issues', async () => {
    const [wrong] = await queryRows(
      database,
      sql`
      SELECT (SELECT count(*) FROM issues i JOIN users u ON u.id = i.reporter_id WHERE i.created_at < u.created_at) AS reports,
             (SELECT count(*) FROM comments c JOIN users u ON u.id = c.commenter_id WHERE c.created_at < u.created_at) AS comments,
             (SELECT count(*) FROM issues i WHERE NOT EXISTS
               (SELECT FROM follows f WHERE f.issue_id = i.id AND f.user_id = i.reporter_id)) AS unfollowed`,
    )

    expect(wrong).toEqual({ reports: 0, comments: 0, unfollowed: 0 })
  })

  it('has a request type of the right category for each issue, from an organisation of its city or the community', async () => {
    const wrong = await queryRows(
      database,
      sql`
      SELECT i.id FROM issues i JOIN request_types rt ON rt.id = i.request_type_id LEFT JOIN organizations o ON o.id = rt.organization_id
      WHERE rt.category <> i.category OR NOT coalesce(ST_Covers(o.area, i.point), true)`,
    )
    const used = await queryRows<{ category: string }>(database, sql`SELECT DISTINCT i.category FROM issues i ORDER BY i.category`)

    expect(wrong).toEqual([])
    expect(used.filter(({ category }) => !(categories as readonly string[]).includes(category))).toEqual([])
  })

  it('has questions of every type and some private answers', async () => {
    const types = await queryRows<{ type: string }>(
      database,
      sql`
      SELECT DISTINCT q.question_type AS type FROM request_type_questions q ORDER BY q.question_type`,
    )

    expect(types.map(({ type }) => type)).toEqual(questionTypes)
    expect(await count('issue_answers WHERE answer_kept_private')).toBeGreaterThan(0)
  })

  it('has the same organisations as an import, each with a login and an area in its city', async () => {
    const file = readOrganizationValue(await organizationsOf(database), 'demo.json')

    const report = await importOrganizations(database, file, 'demo.json')
    const cities = await officialsByCity(database)

    const unchanged = (entries: number) => ({ new: 0, changed: 0, unchanged: entries, retired: 0 })
    expect(report).toEqual({
      organizations: unchanged(await count('organizations')),
      requestTypes: unchanged(await count('request_types')),
      questions: unchanged(await count('request_type_questions')),
      ...{ members: unchanged(0), unconfirmed: [], missingReceivers: [], ignoredKeys: [] },
    })
    expect(cities).toHaveLength(8)
    expect(Math.min(...cities.map(({ officials }) => officials))).toBeGreaterThanOrEqual(1)
  })

  it('has the work of organisations: targets, templates, notes, transfers and answers of residents', async () => {
    expect(await readStaffWork(database, NOW)).toEqual({
      ...{ offers: true, elsewhere: 0, untranslated: 0, outcomes: 0 },
      ...{ late: true, notes: true, doubts: true, merged: true },
    })
  })

  it('has targets in the working hours of calendars with holidays, and paused ones', async () => {
    const { stored, expected } = await readTargets(database)

    expect(stored).toEqual(expected)
    expect(stored.length).toBeGreaterThan(200)
    expect(await count('issue_targets WHERE paused_at IS NOT NULL')).toBeGreaterThan(3)
    expect(holidaysOf(2026)).toEqual(expect.arrayContaining(['2026-05-25', '2026-11-26', '2026-12-25']))
  })

  it('has one report, one comment and one question pending review', async () => {
    expect(await count("issues WHERE moderation_state = 'held'")).toBe(1)
    expect(await count("comments WHERE moderation_state = 'held'")).toBe(1)
    expect(await count("questions WHERE moderation_state = 'held'")).toBe(1)
    expect(await count('moderation_items')).toBe(3)
  })

  it('has accounts to log in to', async () => {
    const logins = await queryRows<{ email: string; hash: string; role: string; works: boolean }>(
      database,
      sql`
      SELECT e.email, u.password_hash AS hash, u.role,
             EXISTS (SELECT FROM organization_members m WHERE m.user_id = u.id) AS works
      FROM email_addresses e JOIN users u ON u.id = e.user_id WHERE e.confirmed_at IS NOT NULL ORDER BY e.email`,
    )
    const official = logins.find(({ email }) => email === 'official@denver.example.org')

    expect(logins).toHaveLength(11)
    expect(official).toMatchObject({ role: 'Verified Official', works: true })
    expect(await verify(official?.hash ?? '', 'demo-official')).toBe(true)
  })

  it('triggers a warning about public demo passwords until all are changed', async () => {
    const { byPassword } = createCredentialCheck(database)
    const isRight = async (email: string, password: string) => (await byPassword(email, password)) !== undefined
    const changed = (emails: string) =>
      queryRows(
        database,
        sql`
      UPDATE users u SET password_hash = NULL FROM email_addresses e WHERE e.user_id = u.id AND e.email LIKE ${emails} RETURNING u.id`,
      )

    const all = await publicPasswordWarning(database, isRight)
    await changed('official@%')
    await changed('admin@%')
    const two = await publicPasswordWarning(database, isRight)
    await changed('%')
    const none = await publicPasswordWarning(database, isRight)

    const begin = 'Warning: this service is public, and anyone can log in to'
    const end = 'because docs/demo.md lists the passwords. For a real service, create a new database with DEMO=off.'
    expect(all).toBe(`${begin} admin@example.org (has all permissions everywhere) and 10 other demo accounts, ${end}`)
    expect(two).toBe(`${begin} moderator@denver.example.org (moderates for Denver Public Works) and 1 other demo account, ${end}`)
    expect(none).toBeUndefined()
  })

  it('leaves the id sequences after the last id', async () => {
    const [made] = await queryRows<{ id: number; last: number }>(
      database,
      sql`
      INSERT INTO users (name) VALUES ('Ada Park') RETURNING id, (SELECT max(u.id) FROM users u) AS last`,
    )
    await database.execute(sql`DELETE FROM users u WHERE u.id = ${made?.id}`)

    expect(made?.id).toBe((made?.last ?? 0) + 1)
  })
})
