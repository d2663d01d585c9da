import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { runBulk } from '../../jobs/handlers/batch-jobs.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'
import { findViolations } from './find-violations.ts'

describe.runIf(hasChromium)(`the list of staff in a browser${skipped}`, () => {
  const { app, origin, open } = useBrowser()

  async function openList(path: string) {
    const roads = await app.create.organization()
    const request_type = await app.create.requestType({ organization: roads, title: 'Pothole' })
    const as = await app.create.user({ name: 'Ada Park', memberOf: [{ organization: roads }] })
    const first = await app.create.issue({ request_type, summary: 'Old hole', created_at: '2026-01-01T10:00:00Z' })
    const second = await app.create.issue({ request_type, summary: 'New hole', created_at: '2026-02-01T10:00:00Z' })
    return { ...(await open(path, { as, webGl: false })), as, request_type, first, second }
  }
  const find = (id: number) => app.db.prisma.issue.findUniqueOrThrow({ where: { id } })
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
    await page.waitForURL('**done=**')
  }

  it('acknowledges, assigns and closes with at most three keys each', async () => {
    const { page, complaints, as, first, second } = await openList('/work')

    await press(page, 'j', 'g')
    expect((await find(first)).status).toBe('Acknowledged')
    await page.goto(page.url().split('?')[0] ?? '')
    await press(page, 'j', 'a', 'Enter')
    expect((await find(first)).assignee_id).toBe(as.id)
    await page.goto(page.url().split('?')[0] ?? '')
    await press(page, 'j', 'c', 'Enter')

    expect(await find(first)).toMatchObject({ status: 'Closed', outcome: 'fixed' })
    expect((await find(second)).status).toBe('Open')
    expect(await page.getByRole('status').first().textContent()).toContain('1 issue is closed.')
    expect(complaints).toEqual([])
  })

  it('takes 30 new reports with at most three keys each: acknowledged, assigned, offered, closed with a prepared answer', async () => {
    const { page, complaints, as, request_type } = await openList('/work')
    const { organization_id } = await app.db.prisma.requestType.findUniqueOrThrow({ where: { id: request_type } })
    const parks = await app.create.organization({ name: 'Quarry' })
    await app.create.requestType({ organization: parks })
    await app.db.prisma.responseTemplate.create({
      data: {
        ...{ organization_id: organization_id ?? 0, title: 'Filled', texts: { en: 'We filled it.' }, statuses: ['Closed'] },
        outcome: 'fixed',
      },
    })
    await app.db.prisma.issue.updateMany({ data: { status: 'Closed' } })
    const ids: number[] = []
    for (let minute = 0; minute < 30; minute++) {
      const created_at = `2026-03-01T10:${String(minute).padStart(2, '0')}:00Z`
      ids.push(await app.create.issue({ request_type, summary: `Report ${minute}`, created_at }))
    }
    await page.goto(`${origin}/work?status=open&per_page=30`)
    const select = (count: number) =>
      page.locator('input[name="issue"]').evaluateAll((boxes, end) => {
        for (const box of boxes.slice(0, end)) (box as HTMLInputElement).click()
      }, count)

    await select(30)
    await press(page, 'a', 'Enter')
    await page.goto(`${origin}/work?status=open&per_page=30`)
    await select(10)
    await press(page, 't', 'Q', 'Enter')
    await page.goto(`${origin}/work?status=open&sort=created_at&per_page=30`)
    await select(20)
    await press(page, 'g')
    await page.goto(`${origin}/work?status=acknowledged&per_page=30`)
    await select(20)
    await press(page, 'c', 'F', 'Enter')

    const rows = await app.db.prisma.issue.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } })
    expect(rows.map(({ status }) => status)).toEqual([...Array(10).fill('Open'), ...Array(20).fill('Closed')])
    expect(new Set(rows.map(({ assignee_id }) => assignee_id))).toEqual(new Set([as.id]))
    expect(await app.db.prisma.issueTransfer.count({ where: { to_id: parks, state: 'offered' } })).toBe(10)
    expect(await app.db.prisma.comment.count({ where: { comment: 'We filled it.' } })).toBe(20)
    expect(complaints).toEqual([])
  })

  it('keeps the answer on a phone if the connection fails', async () => {
    const { page } = await openList('/work')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.locator('input[name="issue"]').first().check()
    await page.getByLabel('Public answer').fill('The crew comes on Monday.')

    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.waitForURL('chrome-error://**')
    await page.context().setOffline(false)
    await page.goto(`${origin}/work`)

    expect(await page.getByLabel('Public answer').inputValue()).toBe('The crew comes on Monday.')
  })

  it('offers an issue, previews an answer and closes with a prepared one in at most three presses each', async () => {
    const { page, complaints, first, second, request_type } = await openList('/work')
    const { organization_id } = await app.db.prisma.requestType.findUniqueOrThrow({ where: { id: request_type } })
    const parks = await app.create.organization({ name: 'Parks' })
    await app.create.requestType({ organization: parks })
    const texts = { en: 'We filled it.' }
    await app.db.prisma.responseTemplate.create({
      data: { organization_id: organization_id ?? 0, title: 'Filled', texts, statuses: ['Closed'], outcome: 'fixed' },
    })
    const openIssue = (id: number) => page.goto(new URL(`/issues/${id}`, page.url()).href)
    const pressButton = (name: string) => page.getByRole('button', { name, exact: true }).click()

    await openIssue(first)
    await page.getByText('Offer it to another organisation').click()
    await page.getByLabel('Organisation', { exact: true }).selectOption('Parks')
    await page.getByLabel('Why should they have it?').fill('It is in a park.')
    await pressButton('Offer the issue')
    await page.getByText('It stays here until Parks answers.').waitFor()
    await openIssue(second)
    await page.getByLabel('Prepared answer').selectOption({ index: 1 })
    await pressButton('Use')
    await pressButton('Preview the mail: Comment and close')
    await page.getByText('The mail of this answer').waitFor()
    expect(await page.getByLabel('Your comment').inputValue()).toBe('We filled it.')
    await pressButton('Comment and close')
    await page.waitForURL('**#comment-*')

    expect(await app.db.prisma.issueTransfer.findFirst({ where: { issue_id: first } })).toMatchObject({
      to_id: parks,
      state: 'offered',
    })
    expect(await find(second)).toMatchObject({ status: 'Closed', outcome: 'fixed' })
    expect(complaints).toEqual([])
  })

  it('previews a change of the selected rows, whose page follows its progress without a script', async () => {
    const { page, complaints, first } = await openList('/work')

    await page.locator('input[name="issue"]').first().check()
    await page.getByRole('button', { name: 'Other change …' }).click()
    await page.getByLabel('Priority').selectOption('Urgent')
    await page.locator('section', { hasText: 'Change the priority' }).getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Change 1 issue' }).click()
    await page.getByText('0 of 1 issues are changed').first().waitFor()
    await runBulk({}, { db: app.db, clock: () => new Date() })
    await page.getByRole('button', { name: /^Undo/ }).waitFor()
    await page.getByText('1 issue is changed').first().waitFor()

    expect((await find(first)).priority).toBe(3)
    expect(complaints).toEqual([])
  })

  it('selects by key, lists the keys in a dialog, and leaves form fields alone', async () => {
    const { page } = await openList('/work')
    const selected = () => page.locator('input[name="issue"]:checked').count()

    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    expect([await selected(), await page.locator('#selected-count').textContent()]).toEqual([2, '(2)'])
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('xgc')

    expect(await page.locator('.work-filters input[name="search"]').inputValue()).toBe('xgc')
    expect(await selected()).toBe(2)
  })

  it('says how many issues of the list have changed or are new, and shows them without losing the selection', async () => {
    const { page, request_type } = await openList('/favicon.ico')
    const listed = await app.create.issue({ request_type, summary: 'Old hole' })
    await page.clock.install()
    await page.goto(new URL('/work', page.url()).href)
    await page.clock.fastForward(61_000)
    const before = await page.locator('#work-news').textContent()
    await app.create.issue({ request_type, summary: 'Fresh hole' })
    // A change that only staff see.
    await app.db.prisma.issue.update({ where: { id: listed }, data: { priority: 3, version: { increment: 1 } } })

    await page.clock.fastForward(61_000)

    expect(before).toBe('')
    await page.getByText('2 changed. Show them').waitFor()
    expect(await page.getByText('Fresh hole').count()).toBe(0)
    await page.locator(`input[name="issue"][value="${listed}"]`).check()
    await page.locator('[name="comment"]').fill('We come on Monday.')
    await page.getByText('2 changed. Show them').click()
    await page.getByText('Fresh hole').waitFor()

    expect(
      await page.locator('input[name="issue"]:checked').evaluateAll((boxes) => boxes.map((box) => box.getAttribute('value'))),
    ).toEqual([String(listed)])
    expect(await page.locator('[name="comment"]').inputValue()).toBe('We come on Monday.')
    expect(await page.locator('#work-news').textContent()).toBe('')
  })

  it.each([320, 1280])('works at %d pixels and breaks no rule of accessibility', async (width) => {
    const { page } = await openList('/favicon.ico')
    await page.setViewportSize({ width, height: 800 })

    await page.goto(new URL('/work', page.url()).href)
    await page.locator('input[name="issue"]').first().check()

    expect(await findViolations(page)).toEqual([])
    expect(await page.getByRole('button', { name: 'Close' }).isVisible()).toBe(true)
  })
})
