import { describe, expect, it, onTestFinished } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { rollUpCellChanges } from '../../src/geo/pyramid/roll-up.ts'
import { verifyPyramid } from '../../src/geo/pyramid/verify.ts'
import { countWords } from '../../src/search/dictionary.ts'
import type { Client } from '../helpers/client.ts'
import { engine } from '../helpers/database.ts'
import { useApp } from '../helpers/use-app.ts'

/** Half a degree around New Haven's Green, far wider than the cells at its edge. */
const BOX = 'min_lat=41.05&min_lng=-73.18&max_lat=41.55&max_lng=-72.68'
const INSIDE = { lng: -72.93, lat: 41.3 }
const FAR = { lng: -105, lat: 39.7 }
/** Smaller than any cell, and as narrow as a street from coast to coast. */
const SPOT = 'min_lat=41.2999&min_lng=-72.9301&max_lat=41.3001&max_lng=-72.9299'
const STREET = 'min_lat=41.2999&min_lng=-124&max_lat=41.3001&max_lng=-70'

const entriesOf = (body: unknown) => (body as { metadata: { pagination: { entries: number } } }).metadata.pagination.entries
const tagOf = async (client: Client, path: string) => String((await client.get(path)).headers['etag'])
const statusOf = async (client: Client, path: string, tag: string) => (await client.get(path, { 'if-none-match': tag })).status

describe('conditional GET /issues of an area', () => {
  const app = useApp()

  it.each([
    `/issues?${BOX}&details=true`,
    `/issues?${SPOT}`,
    `/issues?${STREET}`,
    `/issues?${BOX}&search=issue`,
    `/issues?${BOX}&request_types=other&after=2020-01-01`,
  ])('reads only change counts for a kept page, not the issues or their number: %s', async (path) => {
    await app.create.issue({ at: INSIDE, summary: 'An issue', reporter: await app.create.user() })
    const tag = await tagOf(app.as.anonymous, path)
    // The table is renamed, so a statement that reads it fails.
    await app.db.executeScript('ALTER TABLE media RENAME TO not_media')
    onTestFinished(() => app.db.executeScript('ALTER TABLE not_media RENAME TO media'))

    const unchanged = await app.as.anonymous.get(path, { 'if-none-match': tag })

    expect([unchanged.status, unchanged.text, unchanged.headers['etag']]).toEqual([304, '', tag])
    // A different URL is not in the cache, so its list is read.
    expect((await app.as.anonymous.get(`${path}&anew=1`)).status).toBe(500)
  })

  it.each([
    `/issues?${BOX}`,
    `/issues?${BOX}&details=true`,
    `/issues?${SPOT}`,
    `/issues?${STREET}&status=open`,
    '/issues?place_url=green&sort=rating&per_page=1',
  ])('returns 304 after changes elsewhere, of other users, of pending issues, and after a roll-up: %s', async (path) => {
    const { db, create, as } = app
    const [reporter, stranger] = [await create.user(), await create.user()]
    await create.place({ url_name: 'green', around: INSIDE, size: 0.2 })
    const elsewhere = await create.issue({ at: FAR, reporter: stranger })
    const pendingId = await create.issue({ at: INSIDE, moderation_state: 'held', reporter: stranger })
    await create.issue({ at: INSIDE, reporter })
    const tag = await tagOf(as.anonymous, path)

    await create.vote({ on: elsewhere, by: reporter })
    await db.prisma.user.update({ where: { id: reporter.id }, data: { civic_points: 0 } })
    await db.execute(sql`UPDATE users SET name = 'Another Name' WHERE id = ${stranger.id}`)
    await db.execute(sql`UPDATE issues SET summary = 'Other words' WHERE id = ${pendingId}`)
    await create.issue({ at: FAR, reporter: stranger })
    await rollUpCellChanges(db)

    expect(await statusOf(as.anonymous, path, tag)).toBe(304)
  })

  it('returns the full response to a caller whose relation to an issue changed, and 304 to others', async () => {
    const { create, as } = app
    const issue = await create.issue({ at: INSIDE, reporter: await create.user() })
    const [follower, other] = [await create.user(), await create.user()]
    const path = `/issues?${BOX}&details=true`
    const tags = [await tagOf(as.user(follower), path), await tagOf(as.user(other), path), await tagOf(as.anonymous, path)]

    expect((await as.user(follower).send('POST', `/api/v2/issues/${issue}/follow`)).status).toBeLessThan(300)

    expect(await statusOf(as.user(follower), path, tags[0] ?? '')).toBe(200)
    expect(await statusOf(as.user(other), path, tags[1] ?? '')).toBe(304)
    expect(await statusOf(as.anonymous, path, tags[2] ?? '')).toBe(304)
  })

  it('returns the full response if the boundary of its place changed', async () => {
    const { db, create, as } = app
    const place = await create.place({ url_name: 'green', around: INSIDE, size: 0.2 })
    await create.issue({ at: INSIDE })
    const tag = await tagOf(as.anonymous, '/issues?place_url=green')

    await db.execute(sql`UPDATE places SET boundary = ST_Translate(boundary, 1, 0) WHERE id = ${place.id}`)

    expect(await statusOf(as.anonymous, '/issues?place_url=green', tag)).toBe(200)
  })

  it('returns the full response if the spelling correction of a search term changed', async () => {
    const { create, as } = app
    await create.issue({ at: INSIDE, summary: 'Potholes everywhere' })
    await countWords(app.db)
    const path = `/issues?${BOX}&search=pothoel`
    const [tag, before] = [await tagOf(as.anonymous, path), (await as.anonymous.get(path)).body]
    // These issues are elsewhere, and make the other word frequent, so that it is no longer corrected.
    for (let n = 0; n < 5; n++) await create.issue({ at: FAR, summary: 'Pothoel' })
    await countWords(app.db)

    const after = await as.anonymous.get(path, { 'if-none-match': tag })

    expect(entriesOf(before)).toBe(1)
    expect(after.status).toBe(entriesOf((await as.anonymous.get(path)).body) === 1 ? 304 : 200)
  })

  it('returns the full response after TRUNCATE and after changes without triggers that are verified', async () => {
    const { db, create, as } = app
    await create.issue({ at: INSIDE, summary: 'First' })
    const path = `/issues?${BOX}`
    const tag = await tagOf(as.anonymous, path)
    await db.execute(sql`TRUNCATE issues RESTART IDENTITY CASCADE`)
    await create.issue({ at: INSIDE, summary: 'Second' })
    const emptied = await statusOf(as.anonymous, path, tag)
    const second = await tagOf(as.anonymous, path)
    await db.executeScript(
      "SET session_replication_role = replica; UPDATE issues SET summary = 'Third'; SET session_replication_role = DEFAULT",
    )
    const unverified = await statusOf(as.anonymous, path, second)

    await verifyPyramid(db)

    expect([emptied, unverified, await statusOf(as.anonymous, path, second)]).toEqual([200, 304, 200])
  })

  it('reveals no pending issues of other organisations to an employee', async () => {
    const { create, as } = app
    const organization = await create.organization({ name: 'Public Works', around: FAR })
    const employee = as.user(await create.user({ memberOf: [{ organization }] }))
    await create.issue({ at: INSIDE })
    const tag = await tagOf(employee, `/issues?${BOX}`)

    await create.issue({ at: INSIDE, moderation_state: 'held' })

    expect(await statusOf(employee, `/issues?${BOX}`, tag)).toBe(304)
  })

  it.runIf(engine === 'server')(
    'is the full answer when a picture got its smaller size while its comment was just being released',
    async () => {
      const { db, create, as } = app
      const issue = await create.issue({ at: INSIDE })
      const comment = await create.comment({ on: issue, moderation_state: 'held' })
      await db.execute(sql`
        INSERT INTO media (issue_id, comment_id, full_key, content_type, bytes, width, height)
        VALUES (${issue}, ${comment}, 'full.jpg', 'image/jpeg', 1, 1, 1)`)
      const path = `/issues?${BOX}&details=true`
      const [released, blocked, shrunk] = [
        Promise.withResolvers<void>(),
        Promise.withResolvers<void>(),
        Promise.withResolvers<void>(),
      ]
      const release = db.transaction(async (tx) => {
        await tx.execute(sql`UPDATE comments SET moderation_state = 'passed' WHERE id = ${comment}`)
        released.resolve()
        await blocked.promise
      })
      await released.promise
      const shrink = db.transaction(async (tx) => {
        await tx.execute(sql`UPDATE media SET square_key = 'square.jpg' WHERE comment_id = ${comment}`)
        await shrunk.promise
      })
      await db.execute(sql`SELECT pg_sleep(0.2)::text AS waited`)
      blocked.resolve()
      await release
      const tag = await tagOf(as.anonymous, path)
      shrunk.resolve()
      await shrink

      expect(await statusOf(as.anonymous, path, tag)).toBe(200)
    },
  )
})
