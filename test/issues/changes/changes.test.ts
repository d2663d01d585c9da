import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { rollUpCellChanges, startGenerationAfterRestore } from '../../../src/geo/pyramid/roll-up.ts'
import { encodeChangesCursor, parseChangesCursor } from '../../../src/issue-lifecycle/changes-cursor.ts'
import { sweep } from '../../jobs/sweep.ts'
import { engine } from '../../helpers/database.ts'
import { FAR_AWAY, GREEN, square } from '../../helpers/factories.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'
import { waitForTransactions } from './committed.ts'

interface Changes {
  readonly changes: readonly {
    readonly id: number
    readonly kind: string
    readonly at: string
    readonly issue: Record<string, unknown> | null
  }[]
  readonly next_since: string
  readonly has_more: boolean
}

const BOX = 'min_lat=41.2&min_lng=-73&max_lat=41.4&max_lng=-72.8'
const kindsOf = ({ changes }: Changes) => changes.map(({ id, kind }) => [id, kind])

describe('GET /changes', () => {
  const app = useApp()

  const read = async (path: string, client = app.as.anonymous) => {
    await waitForTransactions(app.db)
    const { status, body, text } = await client.get(path)
    if (status !== 200) throw new Error(text)
    return body as Changes
  }
  const cursorOf = async (path: string) => {
    await waitForTransactions(app.db)
    return String((await app.as.anonymous.get(path)).headers['x-changes-cursor'])
  }

  it('returns the present cursor and no changes without `since`', async () => {
    const found = await read(`/changes?${BOX}`)

    expect(found).toEqual({ changes: [], next_since: expect.any(String) as string, has_more: false })
  })

  it.each([`/issues?${BOX}`, `/issues?${BOX}&sort=rating`])(
    'goes on from the cursor of %s, before and after a roll-up',
    async (path) => {
      const { as, create, db } = app
      const reporter = await create.user()
      const known = await create.issue({ at: GREEN, reporter })
      const cursor = await cursorOf(path)
      const voter = await create.user()

      const created = await create.issue({ at: GREEN, reporter })
      await create.issue({ at: FAR_AWAY, reporter })
      await create.issue({ at: GREEN, reporter, moderation_state: 'held' })
      expect((await as.user(voter).send('POST', `/api/v2/issues/${known}/vote`)).status).toBe(201)
      const pending = await read(`/changes?${BOX}&since=${cursor}`)
      await rollUpCellChanges(db)
      const rolledUp = await read(`/changes?${BOX}&since=${cursor}`)

      expect(kindsOf(pending)).toEqual([
        [created, 'created'],
        [known, 'changed'],
      ])
      expect(rolledUp.changes).toEqual(pending.changes)
      const list = (await as.anonymous.get(`/issues?${BOX}`)).body as { issues: { id: number }[] }
      expect(pending.changes.map(({ issue }) => issue)).toEqual(
        [created, known].map((id) => list.issues.find((issue) => issue.id === id)),
      )
      expect(await read(`/changes?${BOX}&since=${rolledUp.next_since}`)).toMatchObject({
        changes: [],
        has_more: false,
      })
    },
  )

  it('has `gone` for an issue that left the filter, is hidden, was deleted or moved away', async () => {
    const { create, db } = app
    const reporter = await create.user()
    const issues = await Promise.all([1, 2, 3, 4].map(() => create.issue({ at: GREEN, reporter })))
    const [closed, hidden, deleted, moved] = issues as [number, number, number, number]
    const elsewhere = await create.issue({ at: FAR_AWAY, reporter })
    const { next_since: since } = await read(`/changes?${BOX}`)

    await db.execute(sql`UPDATE issues SET status = 'Closed', closed_at = now() WHERE id IN (${closed}, ${elsewhere})`)
    await db.execute(sql`UPDATE issues SET moderation_state = 'rejected' WHERE id = ${hidden}`)
    await db.execute(sql`DELETE FROM issues WHERE id = ${deleted}`)
    await db.execute(sql`UPDATE issues SET lng = 106, lat = -41.3 WHERE id = ${moved}`)
    const found = await read(`/changes?${BOX}&status=open&since=${since}`)

    expect(found.changes).toEqual(issues.map((id) => ({ id, kind: 'gone', at: expect.any(String) as string, issue: null })))
  })

  it('does not tell of issues that were never in the list', async () => {
    const { as, create, db } = app
    const [reporter, voter] = [await create.user(), await create.user()]
    const held = await create.issue({ at: GREEN, reporter, moderation_state: 'held' })
    const other = await create.issue({ at: GREEN, reporter })
    const { next_since: since } = await read(`/changes?${BOX}`)

    await db.execute(sql`UPDATE issues SET summary = 'Other words' WHERE id = ${held}`)
    await db.execute(sql`DELETE FROM issues WHERE id = ${held}`)
    expect((await as.user(voter).send('POST', `/api/v2/issues/${other}/vote`)).status).toBe(201)

    expect((await read(`/changes?${BOX}&since=${since}`)).changes).toMatchObject([{ id: other, kind: 'changed' }])
    // A vote does not move an issue out of the filter.
    expect((await read(`/changes?${BOX}&search=elephant&since=${since}`)).changes).toEqual([])
  })

  it('divides changes into pages that end between transactions and issues', async () => {
    const { create } = app
    const reporter = await create.user()
    const { next_since: since } = await read(`/changes?${BOX}`)
    const ids: number[] = []
    for (let n = 0; n < 5; n++) ids.push(await create.issue({ at: GREEN, reporter }))

    const pages: Changes[] = []
    for (let next: string | undefined = since; next !== undefined;) {
      const page: Changes = await read(`/changes?${BOX}&per_page=2&since=${next}`)
      pages.push(page)
      next = page.has_more ? page.next_since : undefined
    }

    expect(pages.map(({ changes }) => changes.length)).toEqual([2, 2, 1])
    expect(pages.flatMap(({ changes }) => changes.map(({ id }) => id))).toEqual(ids)
  })

  it.each([
    `/exports/issues.csv?${BOX}`,
    `/feeds/issues.atom?${BOX}`,
    `/tiles/issues.json?${BOX}`,
    '/ogc/collections/issues/items?bbox=-73,41.2,-72.8,41.4',
  ])('goes on from the cursor of %s', async (url) => {
    const { as, create } = app
    const reporter = await create.user()
    await create.issue({ at: GREEN, reporter })
    await waitForTransactions(app.db)
    const { headers } = await as.anonymous.send('GET', url)
    const created = await create.issue({ at: GREEN, reporter })

    const found = await read(`/changes?${BOX}&since=${String(headers['x-changes-cursor'])}`)

    expect(kindsOf(found)).toEqual([[created, 'created']])
  })

  it('has the fields of the issues that `fields[issue]` names', async () => {
    const { next_since: since } = await read(`/changes?${BOX}`)
    const id = await app.create.issue({ at: GREEN, reporter: await app.create.user() })

    const found = await read(`/changes?${BOX}&fields[issue]=id,status&since=${since}`)

    expect(found.changes.map(({ issue }) => issue)).toEqual([{ id, status: 'Open' }])
  })

  it('writes lines of GeoJSON with the next cursor in a header, and the next page in Link', async () => {
    const { as, create, db } = app
    const reporter = await create.user()
    const gone = await create.issue({ at: GREEN, reporter })
    const { next_since: since } = await read(`/changes?${BOX}`)
    await db.execute(sql`DELETE FROM issues WHERE id = ${gone}`)
    const created = await create.issue({ at: GREEN, reporter })
    await waitForTransactions(db)

    const first = await as.anonymous.get(`/changes?${BOX}&format=geojsonl&per_page=1&since=${since}`)
    const next = String(first.headers['x-changes-cursor'])
    const second = await as.anonymous.get(`/changes?${BOX}&format=geojsonl&per_page=2&since=${next}`)

    expect(first.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    expect(first.headers['link']).toContain(`since=${next}>; rel="next"`)
    expect(second.headers['link']).toBeUndefined()
    const lines = `${first.text}${second.text}`.match(/.+/g)
    expect(lines?.map((line) => JSON.parse(line) as object)).toMatchObject([
      { type: 'Feature', id: gone, geometry: null, properties: { id: gone, change: 'gone' } },
      { type: 'Feature', id: created, geometry: { type: 'Point' }, properties: { id: created, change: 'created', status: 'Open' } },
    ])
  })

  it('waits for a change as long as `wait` says', async () => {
    const { as, create, db } = app
    const reporter = await create.user()
    const { next_since: since } = await read(`/changes?${BOX}`)

    const waiting = as.anonymous.get(`/changes?${BOX}&wait=30&since=${since}`)
    const id = await create.issue({ at: GREEN, reporter })
    await waitForTransactions(db)

    expect(kindsOf((await waiting).body as Changes)).toEqual([[id, 'created']])
    expect(await read(`/changes?${BOX}&wait=1&since=${((await waiting).body as Changes).next_since}`)).toMatchObject({
      changes: [],
    })
  })

  describe('refuses a cursor with 410 and `reset`', () => {
    const since = async (query = BOX) => (await read(`/changes?${query}`)).next_since
    const statusOf = async (query: string, cursor: string) =>
      (await app.as.anonymous.get(`/changes?${query}&since=${cursor}`)).status

    it('after a restore, a TRUNCATE, and another log', async () => {
      const cursor = await since()
      await app.db.execute(sql`SELECT begin_change_log()`)

      const { status, body } = await app.as.anonymous.get(`/changes?${BOX}&since=${cursor}`)

      expect([status, body]).toEqual([410, expect.objectContaining({ reset: true, message: expect.any(String) as string })])
      expect(await statusOf(BOX, await since())).toBe(200)
    })

    it.runIf(engine === 'embedded')('after a start of the embedded engine, whose folder may be a copy', async () => {
      const cursor = await since()
      await startGenerationAfterRestore(app.db)

      expect(await statusOf(BOX, cursor)).toBe(410)
    })

    it('after 30 days', async () => {
      const position = parseChangesCursor(await since())
      const old = encodeChangesCursor({ ...position, at: position.at - 30.5 * 86_400_000 })

      expect(await statusOf(BOX, old)).toBe(410)
      expect(await statusOf(BOX, encodeChangesCursor({ ...position, at: position.at - 29.5 * 86_400_000 }))).toBe(200)
    })

    it('after a change of the boundary of the place or watch area', async () => {
      const { create, db } = app
      await create.place({ url_name: 'around', around: GREEN, size: 0.15 })
      const token = await create.watchArea({ of: await create.user(), area: square(GREEN, 0.2) })
      const cursors = [await since('place_url=around'), await since(`watcher_token=${token}`), await since()]

      await db.execute(sql`UPDATE places SET boundary = ST_Multi(ST_Buffer(boundary, 0.01))`)
      await db.execute(sql`UPDATE watch_areas SET area = ST_Multi(ST_Buffer(area, 0.01))`)

      expect(await statusOf('place_url=around', cursors[0] ?? '')).toBe(410)
      expect(await statusOf(`watcher_token=${token}`, cursors[1] ?? '')).toBe(410)
      expect(await statusOf(BOX, cursors[2] ?? '')).toBe(200)
    })

    it('after a change by a process of the release before, whose rows name no issue', async () => {
      const cursor = await since()
      await app.db.execute(
        sql`INSERT INTO issue_changes (cell, former_status, status, revised) VALUES (first_cell_in(1), 'Open', 'Open', TRUE)`,
      )
      await waitForTransactions(app.db)

      expect(await statusOf(BOX, cursor)).toBe(410)
    })
  })

  it.each([
    ['since=abc', { since: 'must be `next_since` of GET /changes, or X-Changes-Cursor of a list, unchanged' }],
    [
      `since=${encodeChangesCursor({ log: '0'.repeat(32), xid: 1, issue_id: 9_999_999_999, at: 1 })}`,
      { since: 'must be `next_since` of GET /changes, or X-Changes-Cursor of a list, unchanged' },
    ],
    ['min_lat=1', { min_lng: 'is required together with min_lat' }],
    ['wait=31', { wait: 'must be an integer from 0 to 30' }],
    ['format=xml', { format: 'must be one of json, geojsonl' }],
    ['format=geojsonl&tiles=12', { tiles: 'must not be given together with format=geojsonl' }],
    ['format=geojsonl&fields[issue]=id', { 'fields[issue]': 'must not be given together with format=geojsonl' }],
  ])('refuses %s and names what is allowed', async (query, expected) => {
    const { status, body } = await app.as.anonymous.get(`/changes?${query}`)

    expect([status, body]).toEqual([422, expect.objectContaining(expected)])
  })

  it('deletes changes after 31 days, which no cursor needs', async () => {
    const { db, create, services } = app
    await create.issue({ at: GREEN, reporter: await create.user() })
    await rollUpCellChanges(db)
    const stored = async (days: number) => {
      await sweep('delete-old-changes', { db, clock: () => new Date(services.clock().getTime() + days * 86_400_000) })
      return queryRows(db, sql`SELECT p.issue_id FROM past_issue_changes p`)
    }

    expect([await stored(30.5), await stored(31.5)]).toMatchObject([[{}], []])
  })

  it('shows an anonymous reporter to staff of the organisation only', async () => {
    const { as, create } = app
    const organization = await create.organization()
    const request_type = await create.requestType({ organization })
    const [reporter, staff] = [await create.user({ name: 'Ada Park' }), await create.user({ memberOf: [{ organization }] })]
    const { next_since: since } = await read(`/changes?${BOX}`)
    await create.issue({ at: GREEN, reporter, anonymous: true, request_type })

    const names = async (client = as.anonymous) =>
      (await read(`/changes?${BOX}&since=${since}`, client)).changes.map(
        ({ issue }) => (issue?.['reporter'] as { name: string } | undefined)?.name,
      )

    expect([await names(), await names(as.user(await create.user())), await names(as.user(staff))]).toEqual([
      ['An anonymous user'],
      ['An anonymous user'],
      ['Ada Park'],
    ])
  })
})
