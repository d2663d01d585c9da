import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { backdateChanges } from '../helpers/backdate-changes.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

describe('GET /issues/:id', () => {
  const app = useApp()
  const page = (id: number | string, headers = {}) => app.as.anonymous.send('GET', `/issues/${id}`, { headers })
  const wordsOf = (text: string) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

  it('shows all public fields of an issue', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    const works = await app.create.organization({ name: 'Public Works' })
    const type = await app.create.requestType({ title: 'Road damage', organization: works })
    const ada = await app.create.user({ name: 'Ada Park' })
    const issue = await app.create.issue({
      summary: 'Pothole at the crossing',
      description: 'Deep.\nAnd wide.',
      address: '1 Elm Street',
      category: 'pothole',
      status: 'Closed',
      reporter: ada,
      request_type: type,
      created_at: '2026-01-01T10:00:00Z',
      acknowledged_at: '2026-01-02T10:00:00Z',
      closed_at: '2026-01-03T10:00:00Z',
    })
    await app.create.issue({ summary: 'Near', at: { lng: GREEN.lng + 0.001, lat: GREEN.lat } })
    await app.create.issue({ summary: 'Far', at: FAR_AWAY })
    await app.create.formAnswer({ on: issue, question: 'How deep?', answer: '30 cm' })
    await app.create.formAnswer({ on: issue, question: 'Your phone?', answer: '555-0100', answer_kept_private: true })
    await app.create.vote({ on: issue, by: ada })
    const comment = await app.create.comment({ on: issue, by: ada, comment: 'Still there.' })
    await app.create.comment({ on: issue, comment: 'Held', moderation_state: 'held' })

    const { status, text } = await page(issue)

    const words = wordsOf(text)
    expect(status).toBe(200)
    expect(text).toContain('<title>Pothole at the crossing · Fixpoint</title>')
    expect(text).toContain(`<link rel="canonical" href="${PUBLIC_URL}/issues/${issue}"`)
    expect(text).toContain('<meta property="og:description" content="Closed · 1 Elm Street · Deep. And wide."')
    expect(text).toContain('/files/icons/pothole.svg')
    expect(text).toContain('Deep.\nAnd wide.')
    expect(words).toMatch(
      /Reported Jan 1, 2026, 5:00 AM EST .*Acknowledged Jan 2, 2026, 5:00 AM EST .*Closed Jan 3, 2026, 5:00 AM EST/,
    )
    expect(words).toMatch(/Reported by Ada Park Type Road damage Looked after by Public Works Votes 1 Place New Haven/)
    expect(words).toContain('How deep? 30 cm')
    expect(words).not.toContain('555')
    expect(words).toContain('1 comment')
    expect(text).toContain(`id="comment-${comment}"`)
    expect(words).not.toContain('Held')
    expect(text).toContain('with this issue at the centre and 1 other issue around it')
    expect(text).toContain(`href="/issues/${issue}/flag"`)
    expect(text).toContain(`href="/comments/${comment}/flag"`)
  })

  it('does not name an anonymous reporter', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    const issue = await app.create.issue({ reporter: ada, anonymous: true })

    const { text } = await page(issue)

    expect(text).toContain('An anonymous user')
    expect(text).not.toContain('Ada Park')
  })

  it('escapes all texts, and links a video only if its URL is safe', async () => {
    const mark = `"'><script>alert(1)</script>`
    const mallory = await app.create.user({ name: mark })
    const issue = await app.create.issue({ summary: mark, description: mark, address: mark, reporter: mallory })
    const safe = await app.create.issue({ summary: 'Seen' })
    await app.db.prisma.issue.update({ where: { id: issue }, data: { video_url: 'javascript:alert(1)' } })
    await app.db.prisma.issue.update({ where: { id: safe }, data: { video_url: 'https://youtu.be/abc?a="b' } })
    await app.create.comment({ on: issue, by: mallory, comment: mark })
    await app.create.formAnswer({ on: issue, question: mark, answer: mark })

    const { status, text } = await page(issue)

    expect(status).toBe(200)
    expect(text.replaceAll(/<script type="application\/ld\+json">[^<]*<\/script>/g, '')).not.toContain('<script>')
    expect(text).not.toContain('javascript:')
    expect(text).toContain('<h1>&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</h1>')
    expect((await page(safe)).text).toContain('href="https://youtu.be/abc?a=&quot;b" rel="nofollow noopener noreferrer"')
  })

  it.each([
    ['on the antimeridian', { lng: 180, lat: -17 }],
    ['at a pole', { lng: 0, lat: 90 }],
    ['without a place', FAR_AWAY],
  ])('draws an issue %s', async (_, at) => {
    const issue = await app.create.issue({ at })

    const { status, text } = await page(issue)

    expect(status).toBe(200)
    expect(text).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('truncates a long summary in the title', async () => {
    const issue = await app.create.issue({ summary: `${'A very long summary '.repeat(20)}😀` })

    const { text } = await page(issue)

    expect(/<title>(.*) · Fixpoint<\/title>/.exec(text)?.[1]).toHaveLength(80)
  })

  it('returns 404 for a pending issue, as for an unknown one', async () => {
    const pendingId = await app.create.issue({ summary: 'Secret', moderation_state: 'held' })

    const answer = await page(pendingId)
    const unknown = await page(999)

    expect(answer.status).toBe(404)
    expect(answer.text).not.toContain('Secret')
    expect(answer.body).toMatchObject({ message: (unknown.body as { message: string }).message })
  })

  it.each(['999', '0', '-1', 'abc', '1.5', '99999999999'])('returns 404 for %s', async (id) => {
    expect((await page(id)).status).toBe(404)
  })

  it('returns 304 for a matching ETag, and 200 after a new comment', async () => {
    const issue = await app.create.issue()
    const etag = String((await page(issue)).headers.etag)

    const unchanged = await page(issue, { 'if-none-match': etag })
    await app.create.comment({ on: issue })
    const changed = await page(issue, { 'if-none-match': etag })

    expect([unchanged.status, changed.status]).toEqual([304, 200])
  })

  it('shows at most 100 outlines and 100 comments, with the total number', async () => {
    const id = await app.create.issue()
    const { id: place } = await app.create.place()
    await app.db.execute(sql`
      INSERT INTO places (name, url_name, place_type, boundary, center_lng, center_lat, area_m2)
      SELECT 'Part ' || n, 'part-' || n, 'City', p.boundary, p.center_lng, p.center_lat, p.area_m2 - n
      FROM places p CROSS JOIN generate_series(1, 110) n WHERE p.id = ${place}`)
    await app.db.execute(sql`
      INSERT INTO comments (issue_id, comment, created_at)
      SELECT ${id}, 'No. ' || n, timestamptz '2026-02-01' + n * interval '1 hour' FROM generate_series(1, 101) n`)

    const { text } = await page(id)

    expect(text.match(/<path class="outline"/g)).toHaveLength(100)
    expect(text.match(/id="comment-\d+"/g)).toHaveLength(100)
    expect(wordsOf(text)).toMatch(/101 comments These are the newest; show all of them \. .*No\. 2 .*No\. 101/)
    const [, all = ''] = /<a href="([^"]*)">show all of them/.exec(text) ?? []
    expect((await app.as.anonymous.send('GET', all)).text.match(/id="comment-\d+"/g)).toHaveLength(101)
  })

  it('draws the newest issues around it, and says so if there are more', async () => {
    const id = await app.create.issue()
    await app.db.execute(sql`
      INSERT INTO issues (summary, lng, lat) SELECT 'Hole ' || n, ${GREEN.lng}, ${GREEN.lat} FROM generate_series(1, 1001) n`)

    const { text } = await page(id)

    expect(text).toContain('with this issue at the centre and the newest 1,000 other issues around it')
  })

  it('has relative times of the last 30 days, which no 304 keeps', async () => {
    const created_at = new Date(Date.now() - 3 * 3_600_000).toISOString()
    const id = await app.create.issue({ created_at })
    await backdateChanges(app.db)

    const { headers, text } = await page(id)
    const [byTag, byDate] = [
      await page(id, { 'if-none-match': String(headers['etag']) }),
      await page(id, { 'if-modified-since': new Date().toUTCString() }),
    ]

    expect(text).toMatch(/<time class="relative" datetime="[^"]+" title="[^"]+ E[DS]T">3 hours ago<\/time>/)
    expect([headers['last-modified'], byTag.status, byDate.status]).toEqual([undefined, 304, 200])
  })
})
