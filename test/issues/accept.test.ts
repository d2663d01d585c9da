import { describe, expect, it } from 'vitest'

import { parseXml, childrenOf, textOf } from '../feeds/xml.ts'
import { backdateChanges } from '../helpers/backdate-changes.ts'
import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createIssues, featureOf } from './accept-issues.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const GEOJSON = 'application/geo+json'
const ATOM = 'application/atom+xml'
const RSS = 'application/rss+xml'
const CSV = 'text/csv'
const pageTypes = [GEOJSON, ATOM, RSS, CSV]
const LICENCE = 'https://creativecommons.org/licenses/by-nc-sa/3.0/us/'
const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7'

const app = useApp()
const ask = (path: string, accept: string, headers: Record<string, string> = {}) =>
  app.as.anonymous.get(path, { accept, ...headers })
const at = (path: string) => `${PUBLIC_URL}${path}`

describe('GET /issues with Accept', () => {
  it('returns a page of features with links and totals', async () => {
    const created = await createIssues(app)

    const answer = await ask('/issues?per_page=2&page=2&x=y', GEOJSON)

    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/geo+json; charset=utf-8'])
    expect(JSON.parse(answer.text)).toEqual({
      type: 'FeatureCollection',
      numberMatched: 3,
      numberReturned: 1,
      links: [
        { rel: 'self', type: GEOJSON, href: at('/api/v2/issues?page=2&per_page=2&x=y') },
        { rel: 'prev', type: GEOJSON, href: at('/api/v2/issues?page=1&per_page=2&x=y') },
        { rel: 'license', type: 'text/html', title: 'CC BY-NC-SA 3.0 US', href: LICENCE },
      ],
      features: [featureOf(created)],
    })
  })

  it('returns an empty page of features without other pages', async () => {
    const { text } = await ask('/issues', GEOJSON)

    expect(JSON.parse(text)).toMatchObject({ numberMatched: 0, numberReturned: 0, features: [] })
    expect(text).not.toMatch(/"(next|prev)"/)
  })

  it('returns a page as CSV with its columns, links and total', async () => {
    const { issue, request_type, reporter, organization } = await createIssues(app)

    const answer = await ask('/issues?per_page=1&page=3', CSV)

    const urls = [at(`/issues/${issue}`), at(`/api/v2/issues/${issue}`), '', at('/files/icons/other.svg')].join(',')
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'x-total-count': '3',
      link: `<${at('/api/v2/issues?page=2&per_page=1')}>; rel="prev", <${LICENCE}>; rel="license", <${at('/')}>; rel="author"; title="Fixpoint"`,
    })
    expect(answer.text.split('\r\n')).toEqual([
      'id,status,summary,description,rating,address,request_type,reporter,created_at,updated_at,acknowledged_at,closed_at,reopened_at,html_url,url,image_full,representative_image_url,rating_count,request_type_id,organization,place_url_name,category,reporter_id,assignee_id,video_url,organization_id,comment_count,vote_count,archived_at,source,outcome,lng,lat',
      `${issue},Open,"'=Hole <deep> & ""wide""","Cars,\nswerve.",1,250 Church St,Pothole,Ada Park,2026-03-01T10:00:00Z,2026-03-02T11:00:00Z,,,,${urls},1,${request_type},Public Works,new-haven,other,${reporter.id},,,${organization},0,0,,,,${GREEN.lng},${GREEN.lat}`,
      '',
    ])
  })

  it('returns a page as RSS with points, dates, categories and the licence', async () => {
    const { issue } = await createIssues(app)

    const answer = await ask('/issues?place_url=new-haven&per_page=1&page=3', RSS)

    expect(answer.headers['content-type']).toBe('application/rss+xml; charset=utf-8')
    const rss = parseXml(answer.text)
    const [channel] = childrenOf(rss, 'channel', '')
    const shown = channel?.children.map(({ name, text, attributes }) => [
      name,
      text.trim(),
      attributes['href'] ?? attributes['isPermaLink'],
    ])
    const url = at(`/issues/${issue}`)
    const page = (number: number) => at(`/api/v2/issues?page=${number}&per_page=1&place_url=new-haven`)
    expect([rss.name, rss.attributes['version']]).toEqual(['rss', '2.0'])
    expect(shown).toEqual([
      ['title', 'Issues in New Haven', undefined],
      ['link', at('/places/new-haven'), undefined],
      ['description', 'Issues in New Haven', undefined],
      ['language', 'en', undefined],
      ['copyright', `CC BY-NC-SA 3.0 US, ${LICENCE}`, undefined],
      ['license', LICENCE, undefined],
      ['lastBuildDate', 'Mon, 02 Mar 2026 11:00:00 GMT', undefined],
      ['generator', 'Fixpoint', undefined],
      ['link', '', page(3)],
      ['link', '', page(2)],
      ['item', '', undefined],
    ])
    expect(channel?.children.at(-1)?.children.map(({ name, text }) => [name, text])).toEqual([
      ['title', '=Hole <deep> & "wide"'],
      ['link', url],
      ['guid', url],
      ['pubDate', 'Sun, 01 Mar 2026 10:00:00 GMT'],
      ['updated', '2026-03-02T11:00:00Z'],
      ['creator', 'Ada Park'],
      ['category', 'Open'],
      ['category', 'Pothole'],
      ['description', 'Open · Pothole · 250 Church St<br><br>Cars,<br>swerve.'],
      ['point', `${GREEN.lat} ${GREEN.lng}`],
    ])
  })

  it('returns a page as Atom, like the feed, with the URLs of the list', async () => {
    await createIssues(app)
    const feed = await app.as.anonymous.send('GET', '/feeds/issues.atom?per_page=1')

    const answer = await ask('/issues?per_page=1', ATOM)

    expect(answer.headers['content-type']).toBe('application/atom+xml; charset=utf-8')
    const withoutCursors = (text: string) => text.replaceAll(/cursor=[\w-]+/g, '')
    expect(withoutCursors(answer.text)).toBe(withoutCursors(feed.text.replaceAll('/feeds/issues.atom', '/api/v2/issues')))
    expect(textOf(parseXml(answer.text), 'title')).toBe('Issues everywhere')
  })

  it('contains no anonymous reporters, except for those who may read them', async () => {
    const ben = await app.create.user({ name: 'Ben Stone' })
    await app.create.issue({ reporter: ben, anonymous: true })
    await app.create.issue({ reporter: ben, moderation_state: 'held' })
    const admin = await app.create.user({ role: 'Admin' })

    for (const accept of pageTypes) {
      const [own, anonymous] = [
        await app.as.user(ben).get('/issues', { accept }),
        await app.as.anonymous.get('/issues', { accept }),
      ]
      expect(own.text).toBe(anonymous.text)
      expect(own.text).not.toContain('Ben Stone')
      expect([own.headers['cache-control'], anonymous.headers['cache-control']]).toEqual(['private, no-cache', 'public, no-cache'])
      expect((await app.as.user(admin).get('/issues', { accept })).text).toContain('Ben Stone')
    }
  })

  it.each([
    ['no preference', '*/*', JSON_TYPE],
    ['an empty header', '', JSON_TYPE],
    ['a browser', CHROME, JSON_TYPE],
    ['only other types', 'text/html, image/png', JSON_TYPE],
    ['nothing readable', ';;,q=', JSON_TYPE],
    ['any application type', 'application/*', JSON_TYPE],
    ['any text', 'text/*', 'text/csv; charset=utf-8'],
    ['JSON before GeoJSON', 'application/json, application/geo+json', JSON_TYPE],
    ['GeoJSON before JSON', 'application/geo+json, application/json', 'application/geo+json; charset=utf-8'],
    ['GeoJSON rather than anything', '*/*;q=0.5, application/geo+json', 'application/geo+json; charset=utf-8'],
    ['a quality', 'application/geo+json;q=0.4, application/json;q=0.5', JSON_TYPE],
    ['a quality of zero', 'application/geo+json;q=0', JSON_TYPE],
    ['a charset', 'Application/GEO+json; charset=UTF-8', 'application/geo+json; charset=utf-8'],
    [
      'a news reader',
      'application/rss+xml, application/rdf+xml;q=0.8, application/atom+xml;q=0.6, text/xml;q=0.4',
      'application/rss+xml; charset=utf-8',
    ],
    ['a long list', `${'image/png, '.repeat(50)}text/csv`, 'text/csv; charset=utf-8'],
    ['anything but JSON', 'application/json;q=0, application/*;q=0.1', 'application/geo+json; charset=utf-8'],
  ])('prefers what RFC 9110 says for %s', async (_, accept, type) => {
    const { status, headers } = await ask('/issues', accept)

    expect([status, headers['content-type']]).toEqual([200, type])
    expect(headers['vary']).toContain('Accept,')
  })

  it.each(pageTypes)('has an ETag of its own that is valid until something changes: %s', async (accept) => {
    const { issue } = await createIssues(app)
    const types = ['application/json', ...pageTypes]
    const etags = await Promise.all(types.map(async (type) => String((await ask('/issues', type)).headers['etag'])))
    const own = etags[types.indexOf(accept)] ?? ''
    const again = (etag: string) => ask('/issues', accept, { 'if-none-match': etag })

    expect(new Set(etags).size).toBe(types.length)
    const statuses = await Promise.all(etags.map(async (etag) => (await again(etag)).status))
    expect(statuses).toEqual(etags.map((etag) => (etag === own ? 304 : 200)))
    expect((await again(own)).text).toBe('')
    await app.db.prisma.issue.update({ where: { id: issue }, data: { summary: 'Other words' } })
    expect((await again(own)).text).toContain('Other words')
  })

  it('never sends a page of memory as another content type', async () => {
    await createIssues(app)
    const types = ['application/json', ...pageTypes, 'application/json', ...pageTypes]

    const answers = []
    for (const type of types) answers.push(await ask('/issues', type))

    expect(answers.map(({ headers }) => String(headers['content-type']).split(';')[0])).toEqual(types)
    expect(answers.slice(5).map(({ text }) => text)).toEqual(answers.slice(0, 5).map(({ text }) => text))
  })

  it.each([GEOJSON, CSV])('names the place after a change of places: %s', async (accept) => {
    await createIssues(app)
    await backdateChanges(app.db)
    const { headers, text } = await ask('/issues', accept)
    const asked = { 'if-none-match': String(headers['etag']) }
    const before = await ask('/issues', accept, asked)

    await app.db.prisma.place.updateMany({ data: { url_name: 'elm-city' } })

    const after = await ask('/issues', accept, asked)
    expect([before.status, after.status]).toEqual([304, 200])
    expect(after.text).toBe(text.replaceAll('new-haven', 'elm-city'))
  })

  it.each([GEOJSON, CSV])('names the assignee after an assignment: %s', async (accept) => {
    const { issue } = await createIssues(app)
    const cleo = await app.create.user({ name: 'Cleo Park' })
    await backdateChanges(app.db)
    const { headers, text } = await ask('/issues', accept)
    const asked = { 'if-none-match': String(headers['etag']) }

    await app.db.prisma.issue.update({ where: { id: issue }, data: { assignee_id: cleo.id } })

    const after = await ask('/issues', accept, asked)
    expect(after.status).toBe(200)
    expect(after.text).not.toBe(text)
  })

  it.each(pageTypes)('returns 422 for parameters that only JSON has: %s', async (accept) => {
    const answer = await ask('/issues?details=true&fields[issue]=id', accept)

    const reason = 'is only for JSON: leave it out, or send Accept: application/json'
    expect([answer.status, answer.headers['content-type']]).toEqual([422, JSON_TYPE])
    expect(answer.body).toEqual({ details: reason, 'fields[issue]': reason })
    expect((await ask('/issues?details=false', accept)).status).toBe(200)
  })

  it('returns errors as JSON for any Accept', async () => {
    const answer = await ask('/issues?sort=beauty', CSV)

    expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
      422,
      JSON_TYPE,
      { sort: 'must be one of updated_at, created_at, rating, distance' },
    ])
  })

  it.each(['application/json', ...pageTypes])('compresses %s', async (accept) => {
    for (let n = 0; n < 20; n++) await app.create.issue()

    const { headers } = await app.fastify.inject({
      url: '/api/v2/issues',
      headers: { 'user-agent': 'tests', accept, 'accept-encoding': 'gzip' },
    })

    expect([headers['content-encoding'], headers['content-type']]).toEqual(['gzip', `${accept}; charset=utf-8`])
  })
})
