import { describe, expect, it } from 'vitest'

import { ListIssuesQuery } from '../../src/issues/list/query.ts'
import { issuesUrl, fetchTitles } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'

const LATITUDE = 'must be a number from -90 to 90'
const LONGITUDE = 'must be a number from -180 to 180'
const MOMENT = 'must be an ISO 8601 timestamp such as 2026-01-31T00:00:00Z (write the + of an offset as %2B)'
const NAME = 'must be a text of 1 to 300 characters'
const NUMBERS = ['north', '12,5', '0x10', 'NaN', 'Infinity', '-Infinity', '1e999', 'null']
const MOMENTS = [
  'yesterday',
  '2026-02-29',
  '2026-13-01',
  '2026-01-31T24:00:01Z',
  '2026-01-31T12:59:60Z',
  '9999-12-31T24:00:00Z',
  '2026-01-31T000000Z',
  '2026-W05-6',
  '2026-031',
  '2026-01',
  '2026-01-31T00:00:00+2500',
  '2026-01-31 00:00:00',
  '2026-01-31T00:00:00  01:00',
  '31.01.2026',
  '1769817600',
]
const TOO_LONG = 'x'.repeat(301)

const encoded = (text: string) => Buffer.from(text).toString('base64url')
/** Invalid cursors: of another version, with missing, additional or too large parts, or with another encoding. */
const MADE_UP = [
  encoded('2 abcdefghijklmnop 2 4711 5'),
  encoded('0 abcdefghijklmnop 2 4711 5'),
  encoded('1 abcdefghijklmnop 2 4711'),
  encoded('1 abcdefghijklmnop 2 4711 5 6'),
  encoded('1 abcdefghijklmnop 0 4711 5'),
  encoded('1 abcdefghijklmnop 02 4711 5'),
  encoded('1 abcdefghijklmnop 1000000000000000 4711 5'),
  encoded('1 abcdefghijklmnop 2 -4 5'),
  encoded('1 abcdefghijklmnop 2 4711 \u0000'),
  encoded(`1 abcdefghijklmnop 2 4711 ${'5'.repeat(41)}`),
  encoded('1 abc 2 4711 5'),
  `${encoded('1 abcdefghijklmnop 2 4711 5')}=`,
  ` ${encoded('1 abcdefghijklmnop 2 4711 5')}`,
  encoded('1  NaN NaN '),
  encoded('[1,"abcdefghijklmnop",2,"5",4711]'),
]

const refused: Record<string, readonly [values: readonly string[], text: string]> = {
  lat: [[...NUMBERS, '90.0000001', '-91'], LATITUDE],
  lng: [[...NUMBERS, '180.0000001', '-181'], LONGITUDE],
  min_lat: [[...NUMBERS, '90.0000001', '-91'], LATITUDE],
  max_lat: [[...NUMBERS, '90.0000001', '-91'], LATITUDE],
  min_lng: [[...NUMBERS, '180.0000001', '-181'], LONGITUDE],
  max_lng: [[...NUMBERS, '180.0000001', '-181'], LONGITUDE],
  radius: [[...NUMBERS, '0', '0.9', '100000.1', '-5'], 'must be a number from 1 to 100000'],
  area: [['[]', '{}', '{"type":"Polygon"', 'denver'], 'must be a GeoJSON Polygon or MultiPolygon'],
  zoom: [[...NUMBERS, '-0.1', '22.1'], 'must be a number from 0 to 22'],
  address: [[TOO_LONG], NAME],
  place_url: [[TOO_LONG], NAME],
  watcher_token: [[TOO_LONG], NAME],
  page: [['first', '1.5', '1e2', 'NaN'], 'must be an integer'],
  cursor: [
    ['2', 'MQ', '\0', 'é', `${'A'.repeat(201)}`, 'x'.repeat(5_000), ...MADE_UP],
    'must be the unchanged cursor of a next_page_url: follow that URL, or leave cursor out',
  ],
  per_page: [['all', '2.5', '1e2', 'NaN'], 'must be an integer'],
  status: [
    ['OPEN', 'aCKnowledged', 'done', 'open,', 'open;closed', 'open,Deleted'],
    'must be a comma-separated list of open, acknowledged, closed, archived',
  ],
  sort: [['Rating', 'votes', 'created_at,id'], 'must be one of updated_at, created_at, rating, distance'],
  sort_direction: [['asc', 'Desc', 'up'], 'must be one of ASC, DESC'],
  after: [MOMENTS, MOMENT],
  before: [MOMENTS, MOMENT],
  updated_at_after: [MOMENTS, MOMENT],
  updated_at_before: [MOMENTS, MOMENT],
  search: [['x'.repeat(201)], 'must be a text of at most 200 characters'],
  request_types: [
    ['0', '-1', '1.5', 'pothole', '1,,2', 'Other', Array.from({ length: 101 }, (_, n) => n + 1).join(',')],
    'must be a comma-separated list of at most 100 request type ids, or other',
  ],
  assigned: [['0', '-1', 'me', 'Unassigned', '1,'], 'must be a comma-separated list of at most 100 user ids, or unassigned'],
  assigned_to_me: [['yes', '1', 'TRUE'], 'must be true or false'],
  details: [['yes', '1', 'True'], 'must be true or false'],
  'fields[issue]': [
    ['title', 'id,title', 'Id', 'id, ,summary'],
    'must be a comma-separated list of id, status, summary, description, rating, lat, lng, point, address, created_at, updated_at, changed_at, ' +
      'acknowledged_at, closed_at, reopened_at, outcome, reporter, request_type, shortened_url, url, comments_url, comment_url, flag_url, ' +
      'html_url, transitions, actions, private_visibility, media, and with details=true assignee, comments, comments_truncated, ' +
      'comment_count, comments_count, current_user_relationship, questions, integrations, passed_on_to, duplicate_of, ' +
      'duplicate_of_url, confirmations, previous_issue, vote_count, votes, votes_truncated',
  ],
}
const table = Object.entries(refused).flatMap(([name, [values, text]]) =>
  values.map((value): [string, string, string] => [name, value, text]),
)

describe('GET /issues', () => {
  const app = useApp({ keepRows: true })

  it('is tested with each of its parameters', () => {
    expect(Object.keys(refused).toSorted()).toEqual(Object.keys(ListIssuesQuery.properties).toSorted())
  })

  it.each(table)('rejects %s=%s and returns the allowed values', async (name, value, text) => {
    const { status, body } = await app.as.anonymous.get(issuesUrl({ [name]: value }))

    expect([status, body]).toEqual([422, { [name]: text }])
  })

  it.each(Object.keys(refused).filter((name) => !/^(status|request_types|assigned|fields\[issue\])$/.test(name)))(
    'rejects %s if it is repeated',
    async (name) => {
      const { status, body } = await app.as.anonymous.get(`/issues?${name}=1&${name}=1`)

      expect([status, body]).toEqual([422, { [name]: 'must be given only once' }])
    },
  )

  it('returns the errors of all parameters together', async () => {
    const { status, body } = await app.as.anonymous.get('/issues?lat=91&sort=votes&page=x')

    expect(status).toBe(422)
    expect(body).toEqual({
      lat: LATITUDE,
      page: 'must be an integer',
      sort: 'must be one of updated_at, created_at, rating, distance',
    })
  })

  it.each([
    ['place_url', 'a\0b'],
    ['watcher_token', '\0'],
    ['address', '\0'],
    ['search', 'pot\0hole'],
  ])('rejects U+0000 in %s', async (name, value) => {
    const { status, body } = await app.as.anonymous.get(issuesUrl({ [name]: value }))

    expect([status, body]).toEqual([422, { [name]: 'must not contain the character U+0000' }])
  })

  it.each([...Object.keys(refused).flatMap((name) => [`${name}=`, `${name}=+`]), 'status[]=&status=', 'assigned_to_me=false'])(
    'treats %s as not given',
    async (query) => {
      const [plain, blank] = [await app.as.anonymous.get('/issues'), await app.as.anonymous.get(`/issues?${query}`)]

      expect([blank.status, blank.body]).toEqual([200, plain.body])
    },
  )

  it('ignores unknown parameters', async () => {
    await app.create.issue({ summary: 'Here' })

    expect(await fetchTitles(app.as.anonymous, { color: 'red', 'a[b]': 1, __proto__x: 2, constructor: 3 })).toEqual(['Here'])
    const { status } = await app.as.anonymous.get('/issues?__proto__=1&hasOwnProperty=2&%zz=%&=&&x')
    expect(status).toBe(200)
  })
})
