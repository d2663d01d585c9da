import { describe, expect, it } from 'vitest'

import type { Issue } from '../../src/issues/schema.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { issuesUrl, parseIssueList, type Parameters, fetchTitles } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'

describe('filters of GET /issues', () => {
  const app = useApp()

  const titles = async (parameters: Parameters, client = app.as.anonymous) => (await fetchTitles(client, parameters)).toSorted()

  async function createAssignedIssues() {
    const ada = await app.create.user()
    const otto = await app.create.user()
    await app.create.issue({ summary: 'For Ada', assignee: ada })
    await app.create.issue({ summary: 'For Otto', assignee: otto })
    await app.create.issue({ summary: 'Unassigned' })
    return { ada, otto }
  }

  it('return issues assigned to these users, or unassigned ones', async () => {
    const { ada, otto } = await createAssignedIssues()

    expect(await titles({ assigned: ada.id })).toEqual(['For Ada'])
    expect(await titles({ assigned: `${ada.id},${otto.id}` })).toEqual(['For Ada', 'For Otto'])
    expect(await titles({ assigned: 'unassigned' })).toEqual(['Unassigned'])
    expect(await titles({ assigned: `unassigned, ${ada.id}` })).toEqual(['For Ada', 'Unassigned'])
    expect(await titles({})).toHaveLength(3)
  })

  it('return issues assigned to the caller, and ignore the filter for anonymous callers', async () => {
    const { ada, otto } = await createAssignedIssues()

    expect(await titles({ assigned_to_me: 'true' }, app.as.user(ada))).toEqual(['For Ada'])
    expect(await titles({ assigned_to_me: 'true', assigned: otto.id }, app.as.user(ada))).toEqual([])
    expect(await titles({ assigned_to_me: 'true' })).toEqual(['For Ada', 'For Otto', 'Unassigned'].toSorted())
  })

  it('return issues of these request types, or without one', async () => {
    const pothole = await app.create.requestType({ title: 'Pothole' })
    const graffiti = await app.create.requestType({ title: 'Graffiti' })
    await app.create.issue({ summary: 'Hole', request_type: pothole })
    await app.create.issue({ summary: 'Paint', request_type: graffiti })
    await app.create.issue({ summary: 'Something' })

    expect(await titles({ request_types: pothole })).toEqual(['Hole'])
    expect(await titles({ request_types: `${pothole},${graffiti}` })).toEqual(['Hole', 'Paint'])
    expect(await titles({ request_types: 'other' })).toEqual(['Something'])
    expect(await titles({ request_types: `other,${graffiti}` })).toEqual(['Paint', 'Something'])
  })

  it('return the issues of related_issues_url, sorted by distance', async () => {
    const pothole = await app.create.requestType({ title: 'Pothole' })
    const hole = await app.create.issue({ summary: 'Hole', request_type: pothole, at: FAR_AWAY })
    await app.create.issue({ summary: 'Elsewhere', request_type: pothole, at: GREEN })
    await app.create.issue({ summary: 'Near the hole', request_type: pothole, at: { ...FAR_AWAY, lng: FAR_AWAY.lng + 0.01 } })
    await app.create.issue({ summary: 'Something', at: FAR_AWAY })
    const issue = (await app.as.anonymous.get(`/issues/${hole}`)).body as Issue
    const related = String(issue.request_type.related_issues_url)

    const { issues: found } = parseIssueList(await app.as.anonymous.send('GET', related.replace('http://fixpoint.test', '')))

    expect(found.map(({ summary }) => summary)).toEqual(['Hole', 'Near the hole', 'Elsewhere'])
  })

  it.each<[string, Parameters, Record<string, string>]>([
    ['request types', { request_types: '7,1,999' }, { request_types: 'contains unknown values: 7, 999' }],
    ['a request type out of range', { request_types: '9999999999' }, { request_types: 'contains unknown values: 9999999999' }],
    ['people', { assigned: 'unassigned,8,2147483647' }, { assigned: 'contains unknown values: 8, 2147483647' }],
    ['a person out of range', { assigned: '2147483648' }, { assigned: 'contains unknown values: 2147483648' }],
  ])('reject %s that do not exist', async (_, parameters, errors) => {
    await app.create.requestType()
    await app.create.user()

    const { status, body } = await app.as.anonymous.get(issuesUrl(parameters))

    expect([status, body]).toEqual([422, errors])
  })

  it('return these statuses in both spellings, even with a repeated parameter', async () => {
    for (const status of ['Open', 'Acknowledged', 'Closed', 'Archived'] as const)
      await app.create.issue({ summary: status, status })

    expect(await titles({})).toEqual(['Acknowledged', 'Closed', 'Open'])
    expect(await titles({ status: 'Open,archived' })).toEqual(['Archived', 'Open'])
    expect(await titles({ status: ' open , Open,open' })).toEqual(['Open'])
    const repeated = parseIssueList(await app.as.anonymous.get('/issues?status=open&status=Closed'))
    expect(repeated.issues.map(({ summary }) => summary).toSorted()).toEqual(['Closed', 'Open'])
  })

  it.each([
    '2026-02-01',
    '2026-02-01T00:00Z',
    '2026-02-01T00:00:00,000Z',
    '2026-02-01T01:00:00+01',
    '2026-02-01T01:00:00+0100',
    '20260201',
    '20260201T0000',
    '20260131T190000.5-0500',
    '2026-01-31T24:00Z',
    '20260131T240000Z',
    '2026-01-31T23:59:60Z',
    '2026-02-01T05:29:60+05:30',
  ])('accept every ISO 8601 form of a timestamp: %s', async (timestamp) => {
    const half = timestamp.includes('.5') ? '.5' : ''
    await app.create.issue({ summary: 'Then', created_at: `2026-02-01T00:00:00${half}Z` })

    expect(await titles({ after: timestamp })).toEqual(['Then'])
    expect(await titles({ before: timestamp })).toEqual([])
  })

  it('return only issues that match all filters', async () => {
    const { ada } = await createAssignedIssues()
    const pothole = await app.create.requestType({ title: 'Pothole' })
    const all = { assignee: ada, request_type: pothole, status: 'Closed', created_at: '2026-03-01T00:00:00Z' } as const
    await app.create.issue({ ...all, summary: 'Deep hole' })
    await app.create.issue({ ...all, summary: 'Deep hole, open', status: 'Open' })
    await app.create.issue({ ...all, summary: 'Deep hole, earlier', created_at: '2026-02-28T23:59:59Z' })
    await app.create.issue({ ...all, summary: 'Flat' })
    const filters = { search: 'deep', assigned: ada.id, request_types: pothole, status: 'closed', after: '2026-03-01' }

    expect(await titles(filters)).toEqual(['Deep hole'])
    expect(await titles({ ...filters, before: '2026-03-01T00:00:00Z' })).toEqual([])
  })
})

describe('fields[issue] of GET /issues', () => {
  const app = useApp({ keepRows: true })

  const first = async (query: string) =>
    parseIssueList<Record<string, unknown>>(await app.as.anonymous.get(`/issues?${query}`)).issues[0]

  it('returns only these keys once, in the order of the query', async () => {
    const id = await app.create.issue({ summary: 'Hole' })

    expect(await first('fields[issue]=summary,id,summary')).toEqual({ summary: 'Hole', id })
    expect(Object.keys((await first('fields%5Bissue%5D=status,id,point')) ?? {})).toEqual(['status', 'id', 'point'])
    expect(await first('fields[issue]=closed_at')).toEqual({ closed_at: null })
  })

  it('includes keys of the details with details=true', async () => {
    expect(await first('fields[issue]=comment_count,votes&details=true')).toEqual({ comment_count: 0, votes: [] })

    const { status, body } = await app.as.anonymous.get('/issues?fields[issue]=id,votes,comments')
    expect([status, body]).toEqual([422, { 'fields[issue]': 'has names that need details=true: votes, comments' }])
  })
})

describe('list parameters of GET /issues', () => {
  const app = useApp()

  it.each([
    'status=open&status=closed',
    'status[]=open&status[]=closed',
    'status%5B%5D=open&status=closed',
    'status=open,closed&status[]=open',
  ])('are read as one list: %s', async (query) => {
    await app.create.issue({ summary: 'Open one' })
    await app.create.issue({ summary: 'Acknowledged one', status: 'Acknowledged' })
    await app.create.issue({ summary: 'Closed one', status: 'Closed' })

    const { issues } = parseIssueList(await app.as.anonymous.get(`/issues?${query}&fields[issue][]=id&fields[issue][]=status`))

    const states = issues.map((issue) => [Object.keys(issue), issue.status])
    expect(states.map(String)).toEqual(['id,status,Closed', 'id,status,Open'])
  })

  it.each([
    ['status[]=open&status[]=done', { status: 'must be a comma-separated list of open, acknowledged, closed, archived' }],
    ['assigned[]=1&assigned=me', { assigned: 'must be a comma-separated list of at most 100 user ids, or unassigned' }],
    ['request_types[]=x', { request_types: 'must be a comma-separated list of at most 100 request type ids, or other' }],
  ])('are rejected with an invalid part: %s', async (query, errors) => {
    const { status, body } = await app.as.anonymous.get(`/issues?${query}`)

    expect([status, body]).toEqual([422, errors])
  })

  it.each(['after=2026-01-01T01:30:00 01:00', 'after=20260101T013000%200100', 'after=2026-01-01T01:30:00+01'])(
    'accept an offset whose + became a space: %s',
    async (query) => {
      await app.create.issue({ summary: 'Half an hour after midnight', created_at: '2026-01-01T00:30:00Z' })
      await app.create.issue({ summary: 'A second earlier', created_at: '2026-01-01T00:29:59Z' })

      const { issues } = parseIssueList(await app.as.anonymous.get(`/issues?${query}&before=2026-01-02`))

      expect(issues.map(({ summary }) => summary)).toEqual(['Half an hour after midnight'])
    },
  )
})
