import { beforeEach, describe, expect, it } from 'vitest'

import type { Browser } from '../../helpers/browser.ts'
import { createLoggedInBrowser, sendMultipart } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
let ella: Browser
let path: string

beforeEach(async () => {
  const roads = await app.create.organization({ name: 'Roads' })
  const ada = await app.create.user({ name: 'Ada Park' })
  ella = await createLoggedInBrowser(
    app,
    await app.create.user({ name: 'Ella Reyes', role: 'VerifiedOfficial', memberOf: [{ organization: roads }] }),
  )
  const request_type = await app.create.requestType({ organization: roads })
  const issue = await app.create.issue({ summary: 'Pothole', reporter: ada, locale: 'es', request_type })
  for (const by of [ada, await app.create.user()]) await app.create.follow({ on: issue, by })
  path = `/issues/${issue}`
})

const preview = (fields: Record<string, string | File>, browser = ella) => sendMultipart(browser, `${path}/preview`, fields)

describe('POST /issues/:id/preview of a page', () => {
  it('shows the mail in the language of the reporter and its recipients, and keeps the form', async () => {
    const picture = new File([new Uint8Array([1])], 'after.jpg', { type: 'image/jpeg' })
    const answer = await preview({ comment: 'We filled it.', outcome: 'fixed', transition: 'close', image: picture })

    expect([answer.status, await app.db.prisma.comment.count()]).toEqual([200, 0])
    expect(answer.visibleText).toContain('The mail of this answer To the reporter To 1 follower')
    expect(answer.text).toMatch(/<b lang="es">[^<]*Pothole/)
    expect(answer.text).toContain('>\nWe filled it.</textarea>')
    expect(answer.text).toContain('<option value="fixed" selected>')
    expect(answer.visibleText).toContain('Choose the picture again')
  })

  it('asks for the outcome of a closing, as the closing does', async () => {
    const answer = await preview({ comment: 'We filled it.', transition: 'close' })

    expect([answer.status, answer.text.includes('id="field-outcome-error"')]).toEqual([422, true])
    for (const [outcome, field] of [
      ['passed_on', 'passed_on_to'],
      ['duplicate', 'duplicate_of'],
    ] as const) {
      const { status, text } = await preview({ comment: 'We filled it.', outcome, transition: 'close' })
      expect([status, text.includes(`id="field-${field}-error"`)]).toEqual([422, true])
    }
  })

  it('says that an answer without recipients sends no mail', async () => {
    await app.db.prisma.follow.deleteMany()

    const answer = await preview({ comment: 'We look at it.' })

    expect(answer.visibleText).toContain('It goes to no one')
  })

  it('is for employees, whose form names their organisation', async () => {
    const resident = await createLoggedInBrowser(app, await app.create.user())

    const [pages, refused] = [
      [await ella.get(path), await resident.get(path)],
      await preview({ comment: 'It is there.' }, resident),
    ]

    expect(pages.map(({ text }) => text.includes('Preview the mail'))).toEqual([true, false])
    expect(pages[0]?.visibleText).toContain('Your comment, your name and “Roads” are public.')
    expect(refused.status).toBe(403)
  })

  it('says that only members see the name of the employee where the organisation does not show it', async () => {
    await app.db.prisma.organization.updateMany({ data: { shows_people: false } })

    const { visibleText } = await ella.get(path)

    expect(visibleText).toContain('“Roads” gives your answer in public. Only members see your name.')
  })
})
