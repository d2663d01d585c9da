import { describe, expect, it } from 'vitest'

import type { Query } from '../../src/database/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'
import { ISSUES, type Items, PLACES } from './reader.ts'

const BOX = `${ISSUES}?bbox=-72.95,41.29,-72.91,41.33`
const FAR = { lng: 2.35, lat: 48.86 }

describe('a page of features', () => {
  const app = useApp()

  /** An issue with everything that its feature shows. */
  async function createShownIssue() {
    const [reporter, assignee] = [await app.create.user({ name: 'Ada' }), await app.create.user()]
    const organization = await app.create.organization({ name: 'Roads' })
    const type = await app.create.requestType({ title: 'Pothole', organization })
    const other = await app.create.requestType({ title: 'Graffiti' })
    const place = await app.create.place({ url_name: 'green', around: GREEN, size: 0.01 })
    const id = await app.create.issue({ at: GREEN, reporter, request_type: type })
    return { id, reporter, assignee, organization, type, other, place }
  }
  type Shown = Awaited<ReturnType<typeof createShownIssue>>

  const media = (issue: number) => ({
    issue_id: issue,
    full_key: 'a.jpg',
    content_type: 'image/jpeg',
    bytes: 1,
    width: 1,
    height: 1,
  })
  const changes: readonly (readonly [name: string, change: (shown: Shown) => Promise<unknown>])[] = [
    ['its status', ({ id }) => app.db.prisma.issue.update({ where: { id }, data: { status: 'Closed', closed_at: new Date() } })],
    ['its text', ({ id }) => app.db.prisma.issue.update({ where: { id }, data: { summary: 'Deep hole' } })],
    ['its assignee', ({ id, assignee }) => app.db.prisma.issue.update({ where: { id }, data: { assignee_id: assignee.id } })],
    ['its type', ({ id, other }) => app.db.prisma.issue.update({ where: { id }, data: { request_type_id: other } })],
    ['a vote', ({ id, assignee }) => app.create.vote({ on: id, by: assignee })],
    ['its number of comments', ({ id, assignee }) => app.create.comment({ on: id, by: assignee })],
    [
      'a picture',
      async ({ id }) => {
        await app.db.prisma.medium.create({ data: media(id) })
        await app.db.executeScript(`SELECT revise_issue(${id}, TRUE)`)
      },
    ],
    ['its removal', ({ id }) => app.db.prisma.issue.delete({ where: { id } })],
    ['a hidden reporter', ({ id }) => app.db.prisma.issue.update({ where: { id }, data: { anonymous: true } })],
    ['a new issue', () => app.create.issue({ at: GREEN })],
    [
      'the name of its reporter',
      ({ reporter }) => app.db.prisma.user.update({ where: { id: reporter.id }, data: { name: 'Eva' } }),
    ],
    ['the account of its reporter', ({ reporter }) => app.db.executeScript(`DELETE FROM users WHERE id = ${reporter.id}`)],
    ['the title of its type', ({ type }) => app.db.prisma.requestType.update({ where: { id: type }, data: { title: 'Hole' } })],
    [
      'the organization of its type',
      ({ type }) => app.db.executeScript(`UPDATE request_types SET organization_id = NULL WHERE id = ${type}`),
    ],
    [
      'the name of its organization',
      ({ organization }) => app.db.executeScript(`UPDATE organizations SET name = 'Works' WHERE id = ${organization}`),
    ],
    ['the name of its place', ({ place }) => app.db.executeScript(`UPDATE places SET url_name = 'park' WHERE id = ${place.id}`)],
    [
      'the boundary of its place',
      ({ place }) =>
        app.db.executeScript(`UPDATE places SET boundary = ST_Multi(ST_Translate(boundary, 1, 0)) WHERE id = ${place.id}`),
    ],
  ]

  it.each(changes)('is sent anew after a change of %s', async (_, change) => {
    const shown = await createShownIssue()
    const before = await app.as.anonymous.send('GET', BOX)
    const again = () => app.as.anonymous.send('GET', BOX, { headers: { 'if-none-match': String(before.headers['etag']) } })
    const unchanged = await again()

    await change(shown)

    const [after, fromMemory] = [await again(), await app.as.anonymous.send('GET', BOX)]
    const read = await (await appOn(app.db)).anonymous.send('GET', BOX)
    const features = (text: string) => (JSON.parse(text) as Items).features
    expect([unchanged.status, after.status]).toEqual([304, 200])
    expect(features(after.text)).not.toEqual(features(before.text))
    expect(features(after.text)).toEqual(features(read.text))
    expect(features(fromMemory.text)).toEqual(features(read.text))
  })

  it('has the same version after changes elsewhere and after a comment that is pending review', async () => {
    const { id, assignee } = await createShownIssue()
    const { headers } = await app.as.anonymous.send('GET', BOX)

    await app.create.issue({ at: FAR })
    await app.create.comment({ on: id, by: assignee, moderation_state: 'held' })

    const again = await app.as.anonymous.send('GET', BOX, { headers: { 'if-none-match': String(headers['etag']) } })
    expect(again.status).toBe(304)
  })

  it.each([
    ['issues of a box', BOX],
    ['issues of a place and a filter', `${ISSUES}?place_url=green&filter=${encodeURIComponent("status = 'Open'")}`],
    ['a later page', `${ISSUES}?limit=1&sortby=-created_at`],
    ['places', PLACES],
  ])('has the same ETag in another process, and is sent from memory: %s', async (_, path) => {
    await createShownIssue()
    const statements: string[] = []
    const read: Query = (statement) => {
      statements.push(statement.text)
      return app.db.reader.query(statement)
    }
    const other = await appOn(app.db, {}, { db: { ...app.db, reader: { query: read } } })
    const { headers } = await app.as.anonymous.send('GET', path)
    const readsFeatures = () => statements.splice(0).some((text) => /FROM issues i|JOIN issues|ST_AsGeoJSON/.test(text))

    const notModified = await other.anonymous.send('GET', path, { headers: { 'if-none-match': String(headers['etag']) } })
    const readFirst = readsFeatures()
    const again = await other.anonymous.send('GET', path)
    const readAgain = readsFeatures()

    expect([notModified.status, notModified.headers['etag']]).toEqual([304, headers['etag']])
    expect({ readFirst, readAgain }).toEqual({ readFirst: true, readAgain: false })
    expect([again.status, again.headers['etag']]).toEqual([200, headers['etag']])
  })

  it('is private for callers with credentials, with the same ETag if it is the same', async () => {
    const reporter = await app.create.user()
    await app.create.issue({ at: GREEN, reporter })
    const { headers } = await app.as.anonymous.send('GET', BOX)

    const own = await app.as.user(reporter).send('GET', BOX, { headers: { 'if-none-match': String(headers['etag']) } })

    expect([own.status, own.headers['cache-control']]).toEqual([304, 'private, no-cache'])
  })
})
