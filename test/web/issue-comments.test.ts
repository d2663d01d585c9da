import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { createBrowser, formKeyIn } from '../helpers/browser.ts'
import { type TestUser } from '../helpers/factories.ts'
import { imagesWithMetadata } from '../helpers/images.ts'
import { createLoggedInBrowser, EMPTY_FILE, sendMultipart } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const SPAM = Array.from({ length: 12 }, (_, n) => `https://spam${n}.example/x`).join(' ')
const MARK = `"'><script>alert(1)</script>`

const comments = () =>
  queryRows<{ comment: string; moderation_state: string }>(
    app.db,
    sql`SELECT c.comment, c.moderation_state FROM comments c ORDER BY c.id`,
  )
const statusOf = async (id: number) => (await app.db.prisma.issue.findUniqueOrThrow({ where: { id } })).status
const jpeg = async () => {
  const [image] = await imagesWithMetadata()
  return new File([new Uint8Array(image?.bytes ?? [])], 'hole.jpg', { type: 'image/jpeg' })
}

let otto: TestUser
let issue: number

beforeEach(async () => {
  otto = await app.create.user({ name: 'Otto Grant' })
  issue = await app.create.issue({ summary: 'Pothole' })
})

describe('comment form', () => {
  it('adds a comment with picture and video, and redirects to it', async () => {
    const browser = await createLoggedInBrowser(app, otto)
    const form_key = formKeyIn(await browser.get(`/issues/${issue}`))
    const fields = { form_key, comment: 'Deep.\nAnd wide.', image: await jpeg(), youtube_url: 'https://youtu.be/dQw4w9WgXcQ?si=me' }

    const sent = await sendMultipart(browser, `/issues/${issue}/comments`, fields)
    const page = await browser.get(`/issues/${issue}`)

    expect(sent).toMatchObject({ status: 303, headers: { location: `/issues/${issue}#comment-1` } })
    expect(sent.headers['cache-control']).toBe('private, no-store')
    expect(page.text).toContain('id="comment-1"')
    expect(page.visibleText).toMatch(/1 comment Otto Grant now Deep\. And wide\. Watch the video/)
    expect(page.text).toMatch(/<img class="photo" src="\/files\/pictures\/[^"]+" alt="Picture that Otto Grant added"/)
    expect(page.text).toContain('href="https://www.youtube.com/watch?v=dQw4w9WgXcQ"')
    expect(await comments()).toEqual([{ comment: 'Deep.\nAnd wide.', moderation_state: 'passed' }])
  })

  it.each([
    ['close', 'Open', 'closed this · fixed', 'Closed'],
    ['open', 'Closed', 'opened this again', 'Open'],
    ['acknowledge', 'Open', 'acknowledged this', 'Acknowledged'],
  ] as const)('applies %s together with the comment and shows both as one entry', async (move, from, what, to) => {
    const admin = await app.create.user({ name: 'Ada Park', role: 'Admin' })
    const id = await app.create.issue({ status: from })
    const browser = await createLoggedInBrowser(app, admin)

    const sent = await sendMultipart(browser, `/issues/${id}/${move}`, {
      comment: 'As I said.',
      image: EMPTY_FILE,
      youtube_url: '',
      outcome: 'fixed',
    })
    const page = await browser.get(`/issues/${id}`)

    expect(sent).toMatchObject({ status: 303, headers: { location: `/issues/${id}#comment-1` } })
    expect(page.visibleText).toMatch(new RegExp(`1 comment Ada Park Administrator ${what} now As I said\\.`))
    expect(page.text).not.toContain('id="change-')
    expect(await statusOf(id)).toBe(to)
  })

  it('adds one comment per form key, and another for the same text with a new key', async () => {
    const browser = await createLoggedInBrowser(app, otto)
    const input = { form_key: formKeyIn(await browser.get(`/issues/${issue}`)), comment: 'Me too.' }

    const [first, again] = [
      await browser.post(`/issues/${issue}/comments`, input),
      await browser.post(`/issues/${issue}/comments`, input),
    ]
    const later = await browser.post(`/issues/${issue}/comments`, {
      ...input,
      form_key: formKeyIn(await browser.get(`/issues/${issue}`)),
    })

    expect([first, again, later].map(({ headers }) => headers['location'])).toEqual(
      [1, 1, 2].map((id) => `/issues/${issue}#comment-${id}`),
    )
    expect(await comments()).toHaveLength(2)
  })

  it('adds one comment for a concurrent double click', async () => {
    const browser = await createLoggedInBrowser(app, otto)
    const input = { form_key: formKeyIn(await browser.get(`/issues/${issue}`)), comment: 'Solved.' }

    const answers = await Promise.all([1, 2].map(() => browser.post(`/issues/${issue}/close`, input)))

    expect(answers.map(({ status }) => status)).toContain(303)
    expect(await comments()).toHaveLength(1)
    expect(await statusOf(issue)).toBe('Closed')
  })

  it('shows validation errors next to the fields and keeps the input', async () => {
    const browser = await createLoggedInBrowser(app, otto)
    const fields = { comment: ' \r\n ', youtube_url: 'https://elsewhere.example/<b>', image: new File(['no picture'], 'hole.jpg') }

    const blank = await sendMultipart(browser, `/issues/${issue}/close`, fields)
    const withInput = await sendMultipart(browser, `/issues/${issue}/close`, {
      ...fields,
      comment: 'Deep & wide',
      image: await jpeg(),
    })
    const large = new File([new Uint8Array(20 * 1024 * 1024 + 1)], 'hole.jpg', { type: 'image/jpeg' })
    const pages = await Promise.all(
      ['comments', 'close'].map((step) =>
        sendMultipart(browser, `/issues/${issue}/${step}`, { comment: 'Deep & wide', image: large }),
      ),
    )

    expect([blank, withInput, ...pages].map(({ status }) => status)).toEqual([422, 422, 422, 422])
    for (const { text } of pages) {
      expect(text).toContain('Deep &amp; wide</textarea>')
      expect(text).toMatch(/id="field-image-error">“hole\.jpg” is larger than 20 MB: choose a smaller picture\./)
    }
    expect(blank.headers['cache-control']).toBe('private, no-store')
    expect(blank.text).toContain('<title>Error: Pothole')
    expect(blank.visibleText).toContain('The form has errors. Correct the marked fields. Your comment Must be text of 1 to')
    expect(blank.text).toMatch(/id="field-comment-error">Must be text of 1 to 10,000 characters\./)
    expect(blank.text).toMatch(/id="field-image-error">[A-Z]/)
    expect(blank.text).toMatch(/id="field-youtube_url-error">Must be the address of a video on YouTube\./)
    expect(withInput.text).toContain('Deep &amp; wide</textarea>')
    expect(withInput.text).toContain('value="https://elsewhere.example/&lt;b&gt;"')
    expect(withInput.text).toMatch(/id="field-image-error">Choose the picture again: it was not saved with the form\./)
    expect(withInput.text).toMatch(/<a href="#field-image"><b>[^<]+<\/b> Choose the picture again/)
    expect(await comments()).toEqual([])
    expect(await statusOf(issue)).toBe('Open')
  })

  it('counts a line end as one character, as browsers do', async () => {
    const browser = await createLoggedInBrowser(app, otto)

    const sent = await browser.post(`/issues/${issue}/comments`, { comment: 'x\r\n'.repeat(5_000) })

    expect(sent.status).toBe(303)
    expect(await comments()).toEqual([{ comment: 'x\n'.repeat(5_000).trim(), moderation_state: 'passed' }])
  })

  it('escapes all input, on a page that runs scripts of this service only', async () => {
    const browser = await createLoggedInBrowser(app, await app.create.user({ name: MARK, role: 'Admin' }))
    await browser.post(`/issues/${issue}/acknowledge`, { comment: MARK })

    const page = await browser.get(`/issues/${issue}`)
    const refused = await browser.post(`/issues/${issue}/comments`, { comment: MARK, youtube_url: MARK })

    expect(refused.status).toBe(422)
    expect(`${page.text}${refused.text}`).not.toContain('<script>')
    expect(page.text.match(/&quot;&#39;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;/g)?.length).toBeGreaterThan(1)
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; .*form-action 'self'; .*script-src 'self'; (?!.*unsafe)/,
    )
    expect(refused.headers['content-security-policy']).toBe(page.headers['content-security-policy'])
  })

  it('redirects to the login without a session, and returns 403 for cross-site requests', async () => {
    const browser = await createLoggedInBrowser(app, otto)
    const input = { comment: 'Solved.' }

    const anonymous = await createBrowser(app.fastify).post(`/issues/${issue}/close`, input)
    const foreign = await browser.post(`/issues/${issue}/close`, input, { 'sec-fetch-site': 'cross-site' })
    const withoutSite = await browser.post(`/issues/${issue}/close`, input, {})

    expect(anonymous).toMatchObject({ status: 303, headers: { location: `/login?return_to=%2Fissues%2F${issue}%23say` } })
    expect([foreign.status, withoutSite.status]).toEqual([403, 403])
    expect(await comments()).toEqual([])
    expect(await statusOf(issue)).toBe('Open')
  })

  it('has a script that keeps the text on the device for this account', async () => {
    const browser = await createLoggedInBrowser(app, otto)

    const [own, anonymous] = [await browser.get(`/issues/${issue}`), await createBrowser(app.fastify).get(`/issues/${issue}`)]

    expect(own.text).toMatch(/<script type="module" src="\/files\/modules\/[\w-]+\/issue-page\/comment-draft\.ts">/)
    expect(own.text).toContain(`data-commenter="${otto.id}"`)
    expect(anonymous.text).not.toMatch(/comment-draft|data-commenter/)
  })

  it('returns 404 for an unknown or unreadable issue', async () => {
    const browser = await createLoggedInBrowser(app, otto)
    const pendingId = await app.create.issue({ moderation_state: 'held' })

    const answers = await Promise.all(
      [pendingId, 999, 'x'].map((id) => browser.post(`/issues/${id}/comments`, { comment: 'Solved.' })),
    )

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  it('redirects GET requests on form URLs to the issue', async () => {
    const steps = ['comments', 'close', 'open', 'acknowledge', 'vote', 'follow', 'assignee']

    const answers = await Promise.all(steps.map((step) => createBrowser(app.fastify).get(`/issues/${issue}/${step}`)))

    expect(answers.map(({ status, headers }) => `${status} ${String(headers['location'])}`)).toEqual(
      steps.map(() => `303 /issues/${issue}`),
    )
  })
})

describe('comment form after a concurrent change', () => {
  it('says that the issue was closed meanwhile, keeps the text and shows the current buttons', async () => {
    const browser = await createLoggedInBrowser(app, otto)
    await app.db.prisma.issue.update({ where: { id: issue }, data: { status: 'Closed', closed_at: new Date() } })

    const answer = await browser.post(`/issues/${issue}/close`, { comment: 'It is filled.' })

    expect(answer.status).toBe(422)
    expect(answer.visibleText).toContain('This issue is Closed: only an issue that is Open or Acknowledged can be closed.')
    expect(answer.visibleText).toContain('The status of the issue has changed in the meantime. Your text is still here')
    expect(answer.text).toContain('It is filled.</textarea>')
    expect(answer.text).toContain('>Comment and reopen</button>')
    expect(await comments()).toEqual([])
  })

  it('shows a resident that an employee acknowledged it meanwhile, and keeps the text', async () => {
    const browser = await createLoggedInBrowser(app, otto)
    await app.db.prisma.issue.update({ where: { id: issue }, data: { status: 'Acknowledged', acknowledged_at: new Date() } })

    const answer = await browser.post(`/issues/${issue}/close`, { comment: 'It is filled.' })

    expect(answer.status).toBe(403)
    expect(answer.visibleText).toContain('This is for employees of the organisation that looks after the issue.')
    expect(answer.visibleText).toContain('The status of the issue has changed in the meantime.')
    expect(answer.text).toContain('It is filled.</textarea>')
  })
})

describe('comment pending review', () => {
  it('is shown with its picture and transition to its author and moderators only', async () => {
    const organization = await app.create.organization()
    const moderator = await app.create.user({ memberOf: [{ organization, role: 'moderator' }] })
    const [author, moderates, other] = await Promise.all(
      [otto, moderator, await app.create.user()].map((one) => createLoggedInBrowser(app, one)),
    )

    const sent = await sendMultipart(author!, `/issues/${issue}/close`, { comment: SPAM, image: await jpeg() })
    const path = `/issues/${issue}`
    const pages = await Promise.all([author, moderates, other, createBrowser(app.fastify)].map((one) => one!.get(path)))
    const [own, moderators] = pages
    const decision = await moderates!.get(/<a href="(\/moderation\/\d+)">Decide on it</.exec(moderators?.text ?? '')?.[1] ?? '')
    const image = /<img class="photo" src="(\/files\/pictures\/[^"]+)"/.exec(own?.text ?? '')?.[1] ?? ''
    const images = await Promise.all([author, moderates, other, createBrowser(app.fastify)].map((one) => one!.get(image)))

    expect(sent).toMatchObject({ status: 303, headers: { location: `/issues/${issue}#comment-1` } })
    expect(own?.visibleText).toContain(
      'A moderator reviews this first. Until then only you and the moderators see it. When it is approved, the issue is closed as well.',
    )
    expect(own?.text).toContain('<li class="card unseen" id="comment-1">')
    expect(moderators?.visibleText).toContain('Until then only its author and the moderators see it.')
    expect(decision.visibleText).toContain('spam1.example')
    expect(own?.visibleText).not.toContain('Decide on it')
    expect(pages.map(({ text }) => text.includes('spam1.example'))).toEqual([true, true, false, false])
    expect(pages.map(({ visibleText }) => visibleText.includes('0 comments'))).toEqual([true, true, true, true])
    expect(images.map(({ status }) => status)).toEqual([200, 200, 404, 404])
    expect(await statusOf(issue)).toBe('Open')
  })

  it('remains visible to its author after a rejection, with a message', async () => {
    await app.create.comment({ on: issue, by: otto, comment: 'Buy this!', moderation_state: 'rejected' })

    const own = await (await createLoggedInBrowser(app, otto)).get(`/issues/${issue}`)
    const others = await createBrowser(app.fastify).get(`/issues/${issue}`)

    expect(own.visibleText).toContain('A moderator decided not to publish this: only you and the moderators see it. Buy this!')
    expect(others.visibleText).not.toContain('Buy this!')
  })
})
