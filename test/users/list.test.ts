import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { type Queryable, sql } from '../../src/database/database.ts'
import { engine } from '../helpers/database.ts'
import { type UserInput, GREEN } from '../helpers/factories.ts'
import type { ApiResponse } from '../helpers/client.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const USERS = 'http://fixpoint.test/api/v2/users'

describe('GET /users', () => {
  const app = useApp()

  const at = (lng: number, lat: number) => ({ lng: GREEN.lng + lng, lat: GREEN.lat + lat })
  const namesIn = (answer: ApiResponse) => {
    expect(answer.status, answer.text).toBe(200)
    return (answer.body as { users: { name: string }[] }).users.map(({ name }) => name)
  }
  const near = async (query = '', { lng, lat } = GREEN) =>
    namesIn(await app.as.anonymous.get(`/users?lat=${lat}&lng=${lng}${query}`))

  async function createReporter(name: string, lng: number, lat: number, more: UserInput = { share_location: true }) {
    const user = await app.create.user({ name, ...more })
    await app.create.issue({ reporter: user, at: at(lng, lat) })
    return user
  }

  it('lists users who share their location, nearest first, ties by id', async () => {
    await createReporter('Far', 2, 0)
    await createReporter('Near', 0.02, 0)
    await createReporter('Middle', 0, 0.5)
    await createReporter('As near', 0.02, 0)
    await createReporter('Secret', 0, 0, { share_location: false })
    await app.create.user({ name: 'Shares, but reported nothing', share_location: true })

    expect(await near()).toEqual(['Near', 'As near', 'Middle', 'Far'])
    expect(await near('', at(2, 0))).toEqual(['Far', 'Near', 'As near', 'Middle'])
  })

  it('sorts by distance in metres, not in degrees', async () => {
    await createReporter('East', 1.1, 0)
    await createReporter('North', 0, 1)

    expect(await near()).toEqual(['East', 'North'])
  })

  it('finds users across the antimeridian', async () => {
    const [left, right] = [
      await app.create.user({ name: 'Left', share_location: true }),
      await app.create.user({ name: 'Right', share_location: true }),
    ]
    await app.create.issue({ reporter: left, at: { lng: 178, lat: 0 } })
    await app.create.issue({ reporter: right, at: { lng: -179.5, lat: 0 } })

    expect(await near('', { lng: 179.9, lat: 0 })).toEqual(['Right', 'Left'])
  })

  it('sorts by rounded locations, so that exact ones cannot be measured', async () => {
    await createReporter('Rounded away', 0.002_9, 0)
    await createReporter('Rounded to it', 0.002_1, 0)
    const { lng, lat } = at(0.002_1, 0)

    const rounded = await app.db.prisma.user.findMany({
      orderBy: { id: 'asc' },
      select: { location_lng: true, location_lat: true },
    })

    expect(rounded).toEqual([
      { location_lng: -72.93, location_lat: 41.31 },
      { location_lng: -72.93, location_lat: 41.31 },
    ])
    expect(await near('', { lng, lat })).toEqual(['Rounded away', 'Rounded to it'])
  })

  it('uses the last public report that is not anonymous', async () => {
    const ada = await createReporter('Ada', 1, 0)
    await createReporter('Marker', 0.5, 0)
    await app.create.issue({ reporter: ada, at: GREEN, anonymous: true, created_at: '2026-02-01T00:00:00Z' })
    await app.create.issue({ reporter: ada, at: GREEN, moderation_state: 'held', created_at: '2026-02-02T00:00:00Z' })
    await app.create.issue({ reporter: ada, at: GREEN, created_at: '2025-12-31T00:00:00Z' })
    expect(await near()).toEqual(['Marker', 'Ada'])

    await app.create.issue({ reporter: ada, at: GREEN, created_at: '2026-02-03T00:00:00Z' })

    expect(await near()).toEqual(['Ada', 'Marker'])
  })

  it.each<[string, (db: typeof app.db, report: number, other: number) => Promise<unknown>]>([
    ['deleted', (db, id) => db.prisma.issue.delete({ where: { id } })],
    ['marked as pending review', (db, id) => db.prisma.issue.update({ where: { id }, data: { moderation_state: 'held' } })],
    ['made anonymous', (db, id) => db.prisma.issue.update({ where: { id }, data: { anonymous: true } })],
    ['given to another user', (db, id, other) => db.prisma.issue.update({ where: { id }, data: { reporter_id: other } })],
    ['made a report without a reporter', (db, id) => db.prisma.issue.update({ where: { id }, data: { reporter_id: null } })],
  ])('falls back to the previous report, and then to none, if the last one is %s', async (_, takeAway) => {
    const ada = await createReporter('Ada', 1, 0)
    const before = await app.db.prisma.issue.findFirstOrThrow({ where: { reporter_id: ada.id } })
    const last = await app.create.issue({ reporter: ada, at: GREEN, created_at: '2026-02-01T00:00:00Z' })
    await createReporter('Marker', 0.5, 0)
    const other = await app.create.user({ name: 'Other' })
    expect(await near()).toEqual(['Ada', 'Marker'])

    await takeAway(app.db, last, other.id)
    expect(await near()).toEqual(['Marker', 'Ada'])
    await takeAway(app.db, before.id, other.id)

    expect(await near()).toEqual(['Marker'])
  })

  it.runIf(engine === 'server')('forgets the position of a user whose last two reports are deleted concurrently', async () => {
    const ada = await createReporter('Ada', 0, 0)
    const [one, other] = [
      await app.db.prisma.issue.findFirstOrThrow({ where: { reporter_id: ada.id } }),
      { id: await app.create.issue({ reporter: ada, at: at(1, 0), created_at: '2026-02-01T00:00:00Z' }) },
    ]
    const removed = Promise.withResolvers<void>()
    const slow = app.db.transaction(async (tx) => {
      await tx.execute(sql`DELETE FROM issues WHERE id = ${other.id}`)
      removed.resolve()
      await wait(300)
    })
    await removed.promise

    await Promise.all([slow, queryRows(app.db, sql`DELETE FROM issues WHERE id = ${one.id}`)])

    expect(await near()).toEqual([])
  })

  it.runIf(engine === 'server').each<[string, (tx: Queryable, id: number, report: number) => Promise<unknown>]>([
    [
      'reports',
      (tx, id) => queryRows(tx, sql`INSERT INTO issues (summary, lng, lat, reporter_id) VALUES ('New', -71, 41.3, ${id})`),
    ],
    [
      'moves the last report',
      (tx, _, report) => queryRows(tx, sql`UPDATE issues i SET lng = -71, lat = 41.3 WHERE i.id = ${report}`),
    ],
  ])('has the location of a user who %s while starting to share it', async (_, write) => {
    const ada = await createReporter('Ada', 0, 0, { share_location: false })
    const { id: report } = await app.db.prisma.issue.findFirstOrThrow({ where: { reporter_id: ada.id } })
    const [written, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = app.db.transaction(async (tx) => {
      await write(tx, ada.id, report)
      written.resolve()
      await done.promise
    })
    await written.promise
    const share = queryRows(app.db, sql`UPDATE users u SET share_location = true WHERE u.id = ${ada.id}`)

    await Promise.race([share, wait(200)])
    done.resolve()
    await Promise.all([slow, share])

    expect(await queryRows(app.db, sql`SELECT u.location_lng AS lng, u.location_lat AS lat FROM users u`)).toEqual([
      { lng: -71, lat: 41.3 },
    ])
  })

  it('removes the location of a user who stops sharing, and restores it when sharing starts again', async () => {
    const ada = await createReporter('Ada', 0, 0)
    await app.db.prisma.user.update({ where: { id: ada.id }, data: { share_location: false } })
    expect(await near()).toEqual([])

    await app.db.prisma.user.update({ where: { id: ada.id }, data: { share_location: true } })

    expect(await near()).toEqual(['Ada'])
  })

  it('returns users as GET /users/:id does, in pages', async () => {
    const ada = await createReporter('Ada', 0, 0)
    await createReporter('Bo', 0.5, 0)
    const user = (await app.as.anonymous.get(`/users/${ada.id}`)).body

    const { body } = await app.as.anonymous.get('/users?lat=41&lng=-73&per_page=1')

    expect(body).toEqual({
      metadata: {
        pagination: {
          entries: 2,
          page: 1,
          per_page: 1,
          pages: 2,
          next_page: 2,
          next_page_url: `${USERS}?lat=41&lng=-73&page=2&per_page=1`,
          previous_page: null,
          previous_page_url: null,
        },
      },
      users: [user],
      errors: {},
    })
    expect(await near('&per_page=1&page=2')).toEqual(['Bo'])
    expect(await near('&per_page=1&page=3')).toEqual([])
  })

  it('returns 400 without a point', async () => {
    const { status, body } = await app.as.anonymous.get('/users?page=1')

    expect(status).toBe(400)
    expect(body).toEqual({
      message: expect.stringContaining('point'),
      documentation_url: 'http://fixpoint.test/docs',
      request_id: expect.any(String),
    })
  })

  it.each([
    ['lat=41', { lng: 'is required together with lat' }],
    ['lat=91&lng=0', { lat: 'must be a number from -90 to 90' }],
    ['lat=1&lng=1&per_page=x', { per_page: 'must be an integer' }],
  ])('refuses %s', async (query, errors) => {
    const { status, body } = await app.as.anonymous.get(`/users?${query}`)

    expect([status, body]).toEqual([422, errors])
  })
})
