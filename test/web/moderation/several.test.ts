import { describe, expect, it } from 'vitest'

import type { TestUser } from '../../helpers/factories.ts'
import { formKeyIn } from '../../helpers/browser.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createImage } from '../../media/stored-images.ts'
import { createModerationScenario } from '../../moderation/scenario.ts'

const app = useApp()
const { moderator, createPendingReport, createPendingComment, findOpenItem, items, reject } = createModerationScenario(app)

async function pendingReport(by: TestUser, summary: string): Promise<{ readonly issue: number; readonly item: number }> {
  const issue = await createPendingReport(by, { answers: { summary } })
  return { issue, item: await findOpenItem('issue', issue) }
}

const choicesIn = (html: string) => [...html.matchAll(/name="items" value="([^"]+)"/g)].map(([, value = '']) => value)
const choiceOf = (html: string, item: number) => choicesIn(html).find((choice) => choice.startsWith(`${item}-`)) ?? ''
const fields = (choices: readonly string[], decision: string, more: Record<string, string> = {}) =>
  [...choices.map((choice) => ['items', choice]), ['decision', decision], ...Object.entries(more)] as [string, string][]

describe('POST /moderation', () => {
  it('rejects the selected items with one reason, and tells their authors', async () => {
    const [mia, ada] = [await moderator(), await app.create.user({ name: 'Ada Park' })]
    const [first, second, other] = [
      await pendingReport(ada, 'Fucking bench'),
      await pendingReport(ada, 'Fucking lamp'),
      await pendingReport(ada, 'Fucking bin'),
    ]
    const browser = await createLoggedInBrowser(app, mia)
    const { text } = await browser.get('/moderation')
    const choices = [choiceOf(text, first.item), choiceOf(text, second.item)]

    const sent = await browser.post('/moderation', fields(choices, 'reject', { reason: 'Be polite.' }))

    expect([sent.status, sent.headers['location']]).toEqual([303, '/moderation?done=rejected&count=2'])
    expect((await browser.get('/moderation?done=rejected&count=2')).visibleText).toContain(
      '2 items rejected. The authors are notified.',
    )
    expect(await items(mia, '?state=rejected')).toMatchObject([
      { id: first.item, rejection_reason: 'Be polite.' },
      { id: second.item, rejection_reason: 'Be polite.' },
    ])
    expect(await items(mia)).toMatchObject([{ id: other.item }])
    const author = await createLoggedInBrowser(app, ada)
    expect((await author.get(`/issues/${first.issue}`)).visibleText).toContain('Be polite.')
  })

  it('approves the selected items, and leaves and names those that it must not decide', async () => {
    const [mia, nia, ada] = [await moderator(), await moderator('Nia'), await app.create.user()]
    const plain = await pendingReport(ada, 'Fucking bench')
    const withPicture = await pendingReport(ada, 'Fucking lamp')
    await createImage(app, { issue_id: withPicture.issue })
    const decided = await pendingReport(ada, 'Fucking bin')
    const changed = await pendingReport(ada, 'Fucking tree')
    const own = await findOpenItem(
      'comment',
      await createPendingComment(mia, await app.create.issue(), { comment: 'Asshole tree' }),
    )
    const browser = await createLoggedInBrowser(app, mia)
    const { text } = await browser.get('/moderation')
    await reject(nia, decided.item, 'No.')
    await app.db.prisma.issue.update({ where: { id: changed.issue }, data: { summary: 'Fucking big tree' } })
    const choices = [plain, withPicture, decided, changed].map(({ item }) => choiceOf(text, item))

    const sent = await browser.post('/moderation', fields([...choices, `${own}-x`, '9999-x'], 'approve'))

    expect(choiceOf(text, own)).toBe('')
    expect(sent.status).toBe(200)
    for (const line of [
      '1 item approved.',
      '5 items were left as before:',
      'Fucking lamp : The list does not show all of it: open it to approve it.',
      'Fucking bin : This was already rejected by Nia.',
      'Fucking big tree : It changed after the list was loaded: review it again.',
      'Asshole tree : You wrote this yourself, so another moderator has to decide on it.',
      'Item 9999: ',
    ])
      expect(sent.visibleText).toContain(line)
    expect((await app.as.anonymous.get(`/issues/${plain.issue}`)).status).toBe(200)
    expect((await items(mia)).map(({ id }) => id)).toEqual([withPicture.item, changed.item, own])
  })

  it('decides once if the form is sent twice', async () => {
    const [mia, ada] = [await moderator(), await app.create.user()]
    const { item } = await pendingReport(ada, 'Fucking bench')
    const browser = await createLoggedInBrowser(app, mia)
    const page = await browser.get('/moderation')
    const choices = choicesIn(page.text)
    const form = fields(choices, 'approve', { form_key: formKeyIn(page) })

    const [first, second] = [await browser.post('/moderation', form), await browser.post('/moderation', form)]

    for (const { status, headers } of [first, second])
      expect([status, headers['location']]).toEqual([303, '/moderation?done=approved&count=1'])
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(await items(mia, '?state=approved')).toMatchObject([{ id: item }])
  })

  it('requires a selection, a decision and a reason for a rejection, and keeps what was entered', async () => {
    const [mia, ada] = [await moderator(), await app.create.user()]
    await pendingReport(ada, 'Fucking bench')
    const browser = await createLoggedInBrowser(app, mia)
    const choices = choicesIn((await browser.get('/moderation')).text)
    const tooMany = Array.from({ length: 21 }, (_, index) => `${index + 1}-x`)

    const pages = [
      await browser.post('/moderation', fields([], 'approve')),
      await browser.post('/moderation', fields(choices, 'reject', { reason: ' \r\n' })),
      await browser.post('/moderation', fields(choices, 'reject', { reason: 'x'.repeat(1_001) })),
      await browser.post('/moderation', fields(choices, 'delete')),
      await browser.post('/moderation', fields(tooMany, 'approve')),
      await browser.post('/moderation', fields(['x', '1', '99999999999-x'], 'approve')),
    ]

    expect(pages.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 422])
    const errors = [
      'Select at least one item.',
      'Write a reason: the author reads it.',
      'Must not have more than 1000 characters.',
      'decision must be approve, reject',
      'Select at most 20 items.',
      'Select at least one item.',
    ]
    for (const [index, error] of errors.entries()) expect(pages[index]?.visibleText).toContain(error)
    expect(pages[1]?.text).toContain(`value="${choices[0]}" checked`)
    expect(pages[2]?.text).toContain('x'.repeat(1_001))
    expect(await items(mia)).toHaveLength(1)
  })

  it('returns to the page of the list with errors, and to its last page if a decision empties it', async () => {
    const [mia, ada] = [await moderator(), await app.create.user()]
    for (let count = 0; count < 21; count++) await pendingReport(ada, `Fucking lamp ${count}`)
    const list = '/moderation?subject_type=issue&page=2'
    const browser = await createLoggedInBrowser(app, mia)
    const [first, second] = [await browser.get('/moderation?subject_type=issue'), await browser.get(list)]
    const choices = choicesIn(second.text)

    const refused = await browser.post(list, fields(choices, 'reject'))
    const gone = await browser.post(list, fields(['9999-x'], 'approve'))
    const sent = await browser.post(list, fields(choices, 'reject', { reason: 'Be polite.' }))
    const after = await browser.get(sent.headers['location'] as string)

    const action = 'action="/moderation?subject_type=issue&amp;page=2"'
    expect(first.text).toContain('href="/moderation?subject_type=issue&amp;page=2"')
    for (const { text } of [second, refused, gone]) expect(text).toContain(action)
    expect(second.text).toContain('href="/moderation?subject_type=issue&amp;page=2&amp;selected=all"')
    expect(refused.status).toBe(422)
    expect(refused.visibleText).toContain('Write a reason: the author reads it.')
    expect(refused.text).toContain(`value="${choices[0]}" checked`)
    expect(sent.headers['location']).toBe('/moderation?subject_type=issue&page=2&done=rejected&count=1')
    expect(after.visibleText).toContain('1 item rejected.')
    expect(choicesIn(after.text)).toEqual(choicesIn(first.text))
  })

  it('selects all items of a page by a link, and is for moderators only', async () => {
    const [mia, ada] = [await moderator(), await app.create.user()]
    for (const summary of ['Fucking bench', 'Fucking lamp']) await pendingReport(ada, summary)
    const [browser, author] = [await createLoggedInBrowser(app, mia), await createLoggedInBrowser(app, ada)]

    const [none, all] = [await browser.get('/moderation'), await browser.get('/moderation?selected=all')]

    expect(none.text).toContain('href="/moderation?selected=all"')
    expect([none, all].map(({ text }) => text.match(/" checked aria-label="Select: Fucking/g)?.length)).toEqual([undefined, 2])
    expect((await author.post('/moderation', fields(['1-x'], 'approve'))).status).toBe(403)
    expect((await browser.get('/moderation?state=approved')).text).not.toContain('name="decision"')
  })
})

it('a rejection on the page of an item needs a reason', async () => {
  const [mia, ada] = [await moderator(), await app.create.user()]
  const { item } = await pendingReport(ada, 'Fucking bench')
  const browser = await createLoggedInBrowser(app, mia)

  const sent = await browser.post(`/moderation/${item}/reject`, { reason: ' ' })

  expect([sent.status, sent.visibleText.includes('Write a reason: the author reads it.')]).toEqual([422, true])
  expect(await items(mia)).toMatchObject([{ id: item, state: 'held' }])
})
