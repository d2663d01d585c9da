import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { Point } from '../../src/geo/shapes.ts'
import type { Status } from '../../src/issue-lifecycle/status.ts'
import { FAR_AWAY } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

const FEW = null
const noMeasures = {
  median_acknowledge_hours: null,
  p90_acknowledge_hours: null,
  median_close_hours: null,
  p90_close_hours: null,
  acknowledged_in_time_share: null,
  closed_in_time_share: null,
  confirmed_share: null,
}
const noOutcomes = { fixed: 0, duplicate: 0, passed_on: 0, not_ours: 0, cannot_fix: 0, not_found: 0, reported_fixed: 0, unknown: 0 }
const nothing = { reported: 0, acknowledged: 0, closed: 0, reopened: 0, ...noMeasures }
const metadata = { interval: 'month', time_zone: 'UTC', smallest_count: 5 }

interface Group {
  readonly created_at: string
  readonly acknowledged_at?: string
  readonly closed_at?: string
  readonly status?: Status
  readonly type?: number
  readonly at?: Point
  readonly moderation_state?: 'passed' | 'held' | 'rejected'
}

/** Creates issues with the same times. */
async function createIssues(count: number, { type, ...group }: Group): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count) ids.push(await app.create.issue({ ...group, ...(type ? { request_type: type } : {}) }))
  return ids
}

const get = async (path: string) => (await app.as.anonymous.get(path)).body
const january = 'from=2026-01-01&until=2026-01-31'

describe('GET /statistics', () => {
  it('has the last twelve months up to today by default, with zeros where nothing happened', async () => {
    const today = app.services.clock().toISOString().slice(0, 10)

    const body = (await get('/statistics')) as { intervals: { start: string; end: string }[] }

    const [first, last] = [body.intervals[0]?.start, body.intervals.at(-1)?.end]
    expect([body.intervals.length, last]).toEqual([12, today])
    expect(body).toEqual({
      metadata: { ...metadata, from: first, until: today },
      total: { open_at_start: 0, open_at_end: 0, ...nothing, closed_by_outcome: noOutcomes },
      intervals: body.intervals.map(({ start, end }) => ({ start, end, open_at_end: 0, ...nothing })),
      types: [],
      errors: {},
    })
  })

  it('counts an area by month and by type, with the times of acknowledgements and closings', async () => {
    const type = await app.create.requestType({ title: 'Pothole', organization: await app.create.organization({ name: 'Roads' }) })
    await app.create.place({ url_name: 'green' })
    await createIssues(7, { type, created_at: '2025-12-30T00:00:00Z' })
    const closed = { status: 'Archived', acknowledged_at: '2026-01-02T12:00:00Z', closed_at: '2026-02-03T00:00:00Z' } as const
    await createIssues(5, { type, created_at: '2026-01-02T00:00:00Z', ...closed })
    await app.db.execute(sql`UPDATE issues SET outcome = 'fixed' WHERE status = 'Archived'`)
    await createIssues(6, { created_at: '2026-02-28T23:59:59Z' })
    await createIssues(9, { created_at: '2026-01-05T00:00:00Z', at: FAR_AWAY })

    const body = await get('/statistics?place_url=green&from=2026-01-01&until=2026-02-28&group_by=type')

    const acknowledged = { acknowledged: 5, median_acknowledge_hours: 12, p90_acknowledge_hours: 12 }
    const closed_by_outcome = { ...noOutcomes, fixed: 5 }
    const closings = { closed: 5, median_close_hours: 768, p90_close_hours: 768 }
    expect(body).toEqual({
      metadata: { ...metadata, from: '2026-01-01', until: '2026-02-28' },
      total: { ...nothing, ...acknowledged, ...closings, open_at_start: 7, open_at_end: 13, reported: 11, closed_by_outcome },
      intervals: [
        { ...nothing, ...acknowledged, start: '2026-01-01', end: '2026-01-31', open_at_end: 12, reported: 5 },
        { ...nothing, ...closings, start: '2026-02-01', end: '2026-02-28', open_at_end: 13, reported: 6 },
      ],
      types: [
        { ...nothing, id: null, title: 'Other', organization: null, open_at_end: 6, reported: 6 },
        {
          ...nothing,
          ...acknowledged,
          ...closings,
          id: type,
          title: 'Pothole',
          organization: 'Roads',
          open_at_end: 7,
          reported: 5,
        },
      ],
      errors: {},
    })
  })

  it('begins weeks on Monday and cuts the first and the last interval to the period', async () => {
    await createIssues(5, { created_at: '2026-01-11T23:59:59.999Z' })
    await createIssues(6, { created_at: '2026-01-12T00:00:00Z' })

    const body = await get('/statistics?from=2026-01-08&until=2026-01-13&interval=week')

    expect(body).toMatchObject({
      intervals: [
        { start: '2026-01-08', end: '2026-01-11', reported: 5, open_at_end: 5 },
        { start: '2026-01-12', end: '2026-01-13', reported: 6, open_at_end: 11 },
      ],
    })
  })

  it('counts every closing and reopening of the history, each once', async () => {
    const ids = await createIssues(5, { created_at: '2026-01-01T00:00:00Z', status: 'Closed', closed_at: '2026-01-20T00:00:00Z' })
    await app.db.execute(sql`UPDATE issues SET reopened_at = '2026-01-10T00:00:00Z'`)
    await app.db.execute(sql`
      INSERT INTO status_changes (issue_id, from_status, to_status, created_at)
      SELECT id, s.was::issue_status, s.is_now::issue_status, s.at::timestamptz FROM unnest(${ids}::integer[]) id, (VALUES
        (NULL, 'Open', '2026-01-01T00:00:00Z'), ('Open', 'Closed', '2026-01-05T00:00:00Z'),
        ('Closed', 'Open', '2026-01-10T00:00:00Z'), ('Open', 'Closed', '2026-01-20T00:00:00Z')) s (was, is_now, at)`)

    const body = await get(`/statistics?${january}`)

    expect(body).toMatchObject({
      total: { reported: 5, closed: 10, reopened: 5, open_at_end: 0, median_close_hours: 276, p90_close_hours: 456 },
    })
  })

  it('leaves out held and rejected issues', async () => {
    await createIssues(6, { created_at: '2026-01-05T00:00:00Z', moderation_state: 'held' })
    await createIssues(7, { created_at: '2026-01-05T00:00:00Z', moderation_state: 'rejected' })
    await createIssues(8, { created_at: '2026-01-05T00:00:00Z' })

    expect(await get(`/statistics?${january}`)).toMatchObject({ total: { reported: 8, open_at_end: 8 } })
  })

  it('leaves out counts of 1 to 4, and those from which they would follow', async () => {
    await createIssues(3, { created_at: '2026-01-05T00:00:00Z' })
    await createIssues(6, { created_at: '2026-02-05T00:00:00Z' })
    await createIssues(20, { created_at: '2026-03-05T00:00:00Z' })

    const body = (await get('/statistics?from=2026-01-01&until=2026-03-31')) as { intervals: object[] }

    expect(body).toMatchObject({
      total: { reported: 29, open_at_end: FEW },
      intervals: [{ reported: FEW }, { reported: FEW }, { reported: 20 }],
    })
    expect(body.intervals.map((one) => 'open_at_end' in one && one.open_at_end)).toEqual([FEW, FEW, FEW])
  })

  it('does not show what was open if the number of closings would follow from it', async () => {
    await createIssues(9, { created_at: '2025-12-05T00:00:00Z' })
    await createIssues(2, { created_at: '2025-12-05T00:00:00Z', status: 'Closed', closed_at: '2026-01-20T00:00:00Z' })
    await createIssues(20, { created_at: '2026-01-05T00:00:00Z' })

    const body = await get(`/statistics?${january}`)

    expect(body).toMatchObject({ total: { reported: 20, closed: FEW, open_at_start: FEW, open_at_end: FEW } })
  })

  it('has the share of changes that were in time, of those with a target', async () => {
    const times = { created_at: '2026-01-01T00:00:00Z', acknowledged_at: '2026-01-02T00:00:00Z', closed_at: '2026-01-03T00:00:00Z' }
    const ids = await createIssues(12, { ...times, status: 'Closed' })
    await app.db.execute(sql`
      INSERT INTO issue_targets (issue_id, started_at, acknowledge_by, close_by)
      SELECT n.id, '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', CASE WHEN n.rank <= 6 THEN '2026-01-02T23:59:59Z' ELSE '2026-01-04T00:00:00Z' END::timestamptz
      FROM unnest(${ids}::integer[]) WITH ORDINALITY n (id, rank) WHERE n.rank <= 9`)

    const body = await get(`/statistics?${january}`)

    expect(body).toMatchObject({ total: { acknowledged: 12, acknowledged_in_time_share: 1, closed_in_time_share: 0.33 } })
  })

  it('has the share of closings that residents confirmed, of those with answers, from five on', async () => {
    const closed_at = '2026-01-03T00:00:00Z'
    const ids = await createIssues(8, { created_at: '2026-01-01T00:00:00Z', closed_at, status: 'Closed' })
    const answer = async (from: number, until: number) => {
      const user = await app.create.user()
      await app.db.execute(sql`
        INSERT INTO closing_answers (status_change_id, user_id, issue_id, is_fixed)
        SELECT s.id, ${user.id}, s.issue_id, n.rank <= 3 FROM unnest(${ids}::integer[]) WITH ORDINALITY n (id, rank)
        JOIN status_changes s ON s.issue_id = n.id AND s.to_status = 'Closed' WHERE n.rank BETWEEN ${from} AND ${until}`)
    }
    await app.db.execute(sql`DELETE FROM status_changes`)
    await app.db.execute(sql`
      INSERT INTO status_changes (issue_id, from_status, to_status, created_at)
      SELECT n.id, 'Open', 'Closed', ${closed_at}::timestamptz FROM unnest(${ids}::integer[]) n (id)`)

    await answer(1, 4)
    const few = await get(`/statistics?${january}`)
    await answer(2, 6)
    const body = await get(`/statistics?${january}`)

    expect([few, body]).toMatchObject([{ total: { confirmed_share: null } }, { total: { closed: 8, confirmed_share: 0.5 } }])
  })

  it('counts closings by outcome, that of the last closing of an issue, and leaves out small outcomes', async () => {
    const ids = await createIssues(12, { created_at: '2026-01-01T00:00:00Z', status: 'Closed', closed_at: '2026-01-20T00:00:00Z' })
    await app.db.execute(
      sql`UPDATE issues SET outcome = CASE WHEN id = ${ids[0]} THEN 'duplicate' WHEN id <= ${ids[6]} THEN 'fixed' END`,
    )
    await app.db.execute(sql`UPDATE issues SET reopened_at = '2026-01-10T00:00:00Z' WHERE id = ANY (${ids.slice(1, 7)}::integer[])`)
    await app.db.execute(sql`
      INSERT INTO status_changes (issue_id, from_status, to_status, created_at)
      SELECT id, 'Open'::issue_status, 'Closed'::issue_status, '2026-01-05T00:00:00Z'::timestamptz FROM unnest(${ids.slice(1, 7)}::integer[]) id
      UNION ALL SELECT id, 'Closed', 'Open', '2026-01-10T00:00:00Z' FROM unnest(${ids.slice(1, 7)}::integer[]) id`)

    const body = await get(`/statistics?${january}`)

    expect(body).toMatchObject({
      total: { closed: 18, closed_by_outcome: { ...noOutcomes, duplicate: FEW, fixed: FEW, unknown: 11 } },
    })
  })

  it('filters by request types and organisations as lists do', async () => {
    const organization = await app.create.organization()
    const [type, other] = [await app.create.requestType({ organization }), await app.create.requestType()]
    await createIssues(5, { type, created_at: '2026-01-05T00:00:00Z' })
    await createIssues(6, { type: other, created_at: '2026-01-05T00:00:00Z' })
    await createIssues(7, { created_at: '2026-01-05T00:00:00Z' })
    const reported = async (path: string) => ((await get(path)) as { total: { reported: number } }).total.reported

    expect(await reported(`/statistics?${january}&request_types=${other},other`)).toBe(13)
    expect(await reported(`/statistics?${january}&organization_id=${organization}`)).toBe(5)
    expect(await reported(`/organizations/${organization}/statistics?${january}`)).toBe(5)
    expect(await reported(`/organizations/${organization}/statistics?${january}&request_types=${other}`)).toBe(0)
  })

  it('is one table as CSV', async () => {
    await app.create.organization({ name: 'Roads' })
    await createIssues(5, { created_at: '2026-01-05T00:00:00Z' })

    const { headers, text } = await app.as.anonymous.get(`/statistics?${january}&group_by=type`, { accept: 'text/csv' })

    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(headers['link']).toContain('rel="license"')
    expect(text).toBe(
      'part,start,end,request_type_id,request_type,organization,open_at_start,open_at_end,reported,acknowledged,closed,reopened,' +
        'median_acknowledge_hours,p90_acknowledge_hours,median_close_hours,p90_close_hours,acknowledged_in_time_share,closed_in_time_share,confirmed_share,' +
        'closed_fixed,closed_duplicate,closed_passed_on,closed_not_ours,closed_cannot_fix,closed_not_found,closed_reported_fixed,closed_unknown\r\n' +
        'total,2026-01-01,2026-01-31,,,,0,5,5,0,0,0,,,,,,,,0,0,0,0,0,0,0,0\r\n' +
        'interval,2026-01-01,2026-01-31,,,,,5,5,0,0,0,,,,,,,,,,,,,,,\r\n' +
        'type,2026-01-01,2026-01-31,,Other,,,5,5,0,0,0,,,,,,,,,,,,,,,\r\n',
    )
  })

  it('names types in the language of the caller', async () => {
    await createIssues(5, { created_at: '2026-01-05T00:00:00Z' })

    const { headers, body } = await app.as.anonymous.get(`/statistics?${january}&group_by=type`, { 'accept-language': 'es' })

    expect(headers['content-language']).toBe('es')
    expect(body).toMatchObject({ types: [{ id: null, title: 'Otro' }] })
  })

  it('answers 304 to the ETag of the same numbers', async () => {
    const first = await app.as.anonymous.get(`/statistics?${january}`)

    const again = await app.as.anonymous.get(`/statistics?${january}`, { 'if-none-match': String(first.headers['etag']) })

    expect([first.status, again.status]).toEqual([200, 304])
  })

  it('returns 404 for an organisation that does not exist', async () => {
    expect((await app.as.anonymous.get('/organizations/999/statistics')).status).toBe(404)
  })

  it.each([
    ['from=2026-02-30', { from: 'must be a date such as 2026-01-31, from 1000-01-01' }],
    ['until=0999-01-01', { until: 'must be a date such as 2026-01-31, from 1000-01-01' }],
    ['from=2026-02-01&until=2026-01-31', { from: 'must not be after the last day, 2026-01-31' }],
    ['from=2021-01-31&until=2026-01-31', { from: 'must be less than 5 years before the last day, 2026-01-31' }],
    ['interval=hour', { interval: 'must be one of day, week, month' }],
    ['group_by=status', { group_by: 'must be one of type' }],
    ['request_types=99', { request_types: 'contains unknown values: 99' }],
    ['organization_id=99', { organization_id: 'contains unknown values: 99' }],
    ['place_url=atlantis', { place_url: 'is no place of this service' }],
    ['after=2026-01-01', { after: 'did you mean from? This operation has no parameter of this name' }],
  ])('returns 422 for %s', async (query, errors) => {
    const { status, body } = await app.as.anonymous.get(`/statistics?${query}`)

    expect([status, body]).toEqual([422, errors])
  })
})
