import { beforeEach, describe, expect, it } from 'vitest'

import { runBulk } from '../../../jobs/handlers/batch-jobs.ts'
import type { Browser } from '../../helpers/browser.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
let roads: number
let issues: number[]
let ella: Browser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  const request_type = await app.create.requestType({ organization: roads, title: 'Pothole' })
  ella = await createLoggedInBrowser(app, await app.create.user({ name: 'Ella Reyes', memberOf: [{ organization: roads }] }))
  issues = [await app.create.issue({ request_type }), await app.create.issue({ request_type })]
  await app.create.follow({ on: issues[0] ?? 0, by: await app.create.user() })
})

const work = () => runBulk({}, { db: app.db, clock: () => new Date() })
const listStatuses = async () => (await app.db.prisma.issue.findMany({ orderBy: { id: 'asc' } })).map(({ status }) => status)
const valueIn = (page: { readonly text: string }, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? ''

async function preview(fields: Record<string, string>, query = `organization_id=${roads}`) {
  const sent = await ella.post(`/bulk?${query}`, fields)
  const path = String(sent.headers['location'])
  return { path, page: await ella.get(path) }
}

describe('the change of many issues on pages', () => {
  it('leads from the list to a choice, a preview, its run and its undo, without scripts', async () => {
    const list = await ella.get('/work')
    const choice = await ella.get(/href="(\/bulk[^"]*)"/.exec(list.text)?.[1]?.replaceAll('&amp;', '&') ?? '')
    const { path, page } = await preview({ transition: 'close', outcome: 'fixed', comment: '' })
    const started = await ella.post(`${path}/run`, { hash: valueIn(page, 'hash') })
    const running = await ella.get(path)
    await work()
    const done = await ella.get(path)
    const statuses = await listStatuses()
    const undone = await ella.post(`${path}/undo`)
    await work()

    expect(list.visibleText).toContain('Change all 2 issues …')
    expect(choice.visibleText).toContain('Change 2 issues Roads. Nothing changes yet')
    expect(page.visibleText).toContain('Preview: 2 issues change Close (It is fixed): This is fixed. 1 mail is sent ten minutes')
    expect([started.status, undone.status, running.headers['refresh'], done.headers['refresh']]).toEqual([303, 303, '3', undefined])
    expect(done.visibleText).toMatch(/2 issues are changed .* Undo \(possible for \d+ minutes\)/)
    expect([statuses, await listStatuses()]).toEqual([
      ['Closed', 'Closed'],
      ['Open', 'Open'],
    ])
    expect((await ella.get(path)).visibleText).toContain('The change is undone')
  })

  it('takes the selected issues of the list, and names those that stay as they are', async () => {
    const [first, second] = issues.map(String)
    const sent = await ella.post(`/work?organization_id=${roads}`, [
      ['action', 'change'],
      ...[['issue', String(first)] as const, ['issue', String(second)] as const],
    ])
    await app.db.prisma.issue.update({ where: { id: Number(first) }, data: { status: 'Closed' } })

    const { page } = await preview({ transition: 'acknowledge' }, String(sent.headers['location']).split('?')[1])

    expect(sent.headers['location']).toBe(`/bulk?organization_id=${roads}&ids=${first}%2C${second}`)
    expect(page.visibleText).toContain('Preview: 1 issue changes')
    expect(page.visibleText).toContain(`1 issue stays as it is #${first} This issue is Closed`)
  })

  it.each([
    ['of the assignee', { assignee_id: '' }, 'Assignee: unassigned'],
    ['of the priority', { priority: '3' }, 'Priority: Urgent'],
    ['of the type', { request_type_id: 'other' }, 'Type: Other'],
  ])('previews a change %s', async (_, fields, described) => {
    const { page } = await preview(fields)

    expect(page.visibleText).toContain(`Preview: 2 issues change ${described} No mail is sent.`)
  })

  it('says that a preview is no longer true', async () => {
    const { path, page } = await preview({ priority: '3' })
    await app.db.prisma.issue.update({ where: { id: issues[0] ?? 0 }, data: { version: 9 } })

    const sent = await ella.post(`${path}/run`, { hash: valueIn(page, 'hash') })

    expect([sent.status, sent.visibleText]).toEqual([409, expect.stringContaining('The preview is no longer true')])
  })

  it('returns 422 for no change and a view without issues, and shows the list again without a selection', async () => {
    const [unknown, empty] = [
      await ella.post('/bulk', { change: 'paint' }),
      await ella.get(`/bulk?organization_id=${roads}&status=archived`),
    ]
    const none = await ella.post('/work?late=close', { action: 'change' })

    expect([unknown.status, empty.status, none.status]).toEqual([422, 422, 422])
    expect(none.visibleText).toContain('Select at least one issue in the list.')
    expect(empty.visibleText).toContain('Selects no issue or more than 1,000 issues: choose other filters.')
  })
})
