import { beforeEach, describe, expect, it } from 'vitest'

import { createBrowser, type PageResponse } from '../helpers/browser.ts'
import type { TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let otto: TestUser
let issue: number

beforeEach(async () => {
  otto = await app.create.user({ name: 'Otto Grant' })
  issue = await app.create.issue({ summary: 'Pothole' })
})

describe('buttons on the issue page', () => {
  /** Buttons that show the mail of an answer are named after it, and change nothing. */
  const buttonsIn = ({ text }: PageResponse) =>
    [...text.matchAll(/<button(?![^>]*\/preview)[^>]*>((?:Comment|Say)[^<]*)<\/button>/g)].map(([, name]) => name)

  it.each([
    ['Open', 'resident', ['Comment', 'Say it is fixed']],
    ['Open', 'reporter', ['Comment', 'Comment and close']],
    ['Open', 'employee', ['Comment', 'Comment and close', 'Comment and acknowledge']],
    ['Open', 'elsewhere', ['Comment', 'Say it is fixed']],
    ['Open', 'admin', ['Comment', 'Comment and close', 'Comment and acknowledge']],
    ['Acknowledged', 'resident', ['Comment']],
    ['Acknowledged', 'employee', ['Comment', 'Comment and close']],
    ['Acknowledged', 'elsewhere', ['Comment']],
    ['Closed', 'resident', ['Comment', 'Comment and reopen']],
    ['Closed', 'employee', ['Comment', 'Comment and reopen']],
    ['Archived', 'resident', ['Comment']],
    ['Archived', 'admin', ['Comment']],
  ] as const)('match the permitted transitions: status %s, %s', async (status, who, buttons) => {
    const [roads, parks] = [await app.create.organization(), await app.create.organization()]
    const request_type = await app.create.requestType({ organization: roads })
    const people = {
      resident: {},
      reporter: {},
      employee: { memberOf: [{ organization: roads }] },
      elsewhere: { memberOf: [{ organization: parks }] },
      admin: { role: 'Admin' as const },
    }
    const viewer = await app.create.user(people[who])
    const id = await app.create.issue({ status, request_type, ...(who === 'reporter' ? { reporter: viewer } : {}) })
    const browser = await createLoggedInBrowser(app, viewer)

    const page = await browser.get(`/issues/${id}`)

    expect(buttonsIn(page)).toEqual(buttons)
    expect(page.text).not.toContain('Log in</a> or')
  })

  it.each([
    ['Open', 'to comment, vote for it, follow it or say that it is fixed.'],
    ['Acknowledged', 'to comment, vote for it or follow it.'],
    ['Closed', 'to comment, vote for it, follow it or open it again.'],
  ] as const)('are replaced by a login link for anonymous users: status %s', async (status, what) => {
    const id = await app.create.issue({ status })

    const page = await createBrowser(app.fastify).get(`/issues/${id}`)

    expect(page.visibleText).toContain(what)
    expect(page.text).toContain(`href="/login?return_to=%2Fissues%2F${id}%23say"`)
    expect(page.text).toContain(`href="/register?return_to=%2Fissues%2F${id}%23say"`)
    expect(page.text).not.toContain('<form method="post"')
  })

  it('come with a hint if there are no comments', async () => {
    const page = await (await createLoggedInBrowser(app, otto)).get(`/issues/${issue}`)

    expect(page.visibleText).toContain('There are no comments yet. Write whether it is still there, or what became of it.')
  })

  it('are absent on an issue that is pending or rejected, and the page says why', async () => {
    const organization = await app.create.organization()
    const moderator = await app.create.user({ memberOf: [{ organization, role: 'moderator' }] })
    const pendingId = await app.create.issue({ reporter: otto, moderation_state: 'held' })
    const rejected = await app.create.issue({ reporter: otto, moderation_state: 'rejected' })
    const [own, others] = [await createLoggedInBrowser(app, otto), await createLoggedInBrowser(app, moderator)]

    const pages = [
      await own.get(`/issues/${pendingId}`),
      await own.get(`/issues/${rejected}`),
      await others.get(`/issues/${pendingId}`),
    ]
    const sent = await own.post(`/issues/${pendingId}/comments`, { comment: 'Is anybody there?' })

    expect(pages.flatMap(buttonsIn)).toEqual([])
    expect(pages.map(({ text }) => text.includes('id="part"'))).toEqual([false, false, false])
    expect(pages[0]?.visibleText).toContain('A moderator reviews your report before it is public.')
    expect(pages[1]?.visibleText).toContain('A moderator decided not to publish your report.')
    expect(pages[2]?.visibleText).toContain('This report is pending review.')
    expect(sent.status).toBe(422)
    expect(sent.visibleText).toContain('This issue is not public, so nothing can be added to it or changed.')
  })
})
