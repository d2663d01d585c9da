import { beforeEach, describe, expect, it } from 'vitest'

import { runBulk } from '../../jobs/handlers/batch-jobs.ts'
import { sql } from '../../src/database/database.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { composeIssueNotification } from '../../src/notifications/templates/compose-issue-notification.ts'
import { listIssueNotificationContents } from '../../src/notifications/recipients/issue-notification-queries.ts'
import { listWatchNotificationContents } from '../../src/watch-areas/notification-queries.ts'
import type { TestUser } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const app = useApp()
const EMPLOYEE = 'Zoë Quillfeather'
const COLLEAGUE = 'Bram Underhill'
const DEPARTMENT = 'Roads and Bridges'
let [roads, issue, type] = [0, 0, 0]
let employee: TestUser
let colleague: TestUser

beforeEach(async () => {
  roads = await app.create.organization({ name: DEPARTMENT, shows_people: false })
  employee = await app.create.user({
    name: EMPLOYEE,
    role: 'VerifiedOfficial',
    memberOf: [{ organization: roads, role: 'owner' }],
  })
  colleague = await app.create.user({ name: COLLEAGUE, role: 'VerifiedOfficial', memberOf: [{ organization: roads }] })
  type = await app.create.requestType({ organization: roads })
  issue = await app.create.issue({ request_type: type, assignee: employee })
  await app.create.follow({ on: issue, by: await app.create.user() })
})

const post = (path: string, body: object) =>
  app.as.user(employee).send('POST', `/api/v2/issues/${issue}/${path}`, { body, headers: { 'if-match': '*' } })
const answer = async () => {
  await post('comments', { comment: 'We look at it.' })
  await post('acknowledge', { comment: 'The crew knows.' })
  await post('close', { comment: 'Repaired.', outcome: 'fixed' })
}
const show = (shows_people: boolean) =>
  app.as.user(employee).send('PUT', `/api/v2/organizations/${roads}`, { body: { shows_people }, headers: { 'if-match': '*' } })

const PUBLIC = (id: number) => [
  ...[`/api/v2/issues/${id}`, `/api/v2/issues/${id}/comments`, '/api/v2/issues?details=true&status=closed'],
  ...[`/issues/${id}`, `/feeds/issues.atom?status=closed`, '/feeds/issues.geojson?status=closed', '/exports/issues.csv'],
  ...['/exports/history.csv', '/ogc/collections/issues/items?f=json', `/open311/v2/requests/${id}.json?extensions=true`],
]
const read = async (
  as: { send: (method: 'GET', path: string) => Promise<{ text: string; status: number }> },
  paths: readonly string[],
) => {
  const answers = []
  for (const path of paths) answers.push(await as.send('GET', path))
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
  return answers.map(({ text }) => text)
}
const ASSIGNEES = (id: number) => [
  ...['/exports/issues.geojson', '/feeds/issues.geojson', '/ogc/collections/issues/items?f=json&properties=assignee_id'],
  `/ogc/collections/issues/items?f=json&filter=assignee_id=${id}`,
]
const assigneesInCsv = (text: string) => {
  const [names = [], ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','))
  return rows.map((row) => row[names.indexOf('assignee_id')])
}
const leave = async (user: TestUser) =>
  (await app.as.user(user).send('DELETE', `/api/v2/organizations/${roads}/members/${user.id}`)).status
const naming = (name: string, texts: readonly string[]) =>
  texts.flatMap((text, n) => (text.includes(name) ? (PUBLIC(issue)[n] ?? []) : []))

/** The mails to followers about all events of the issue. */
async function composeMails(): Promise<string> {
  const events = await app.db.prisma.event.findMany({ where: { type: { not: 'issue.reported' } }, orderBy: { id: 'asc' } })
  const contents = await listIssueNotificationContents(
    app.db,
    events.map(({ id }) => Number(id)),
  )
  const watched = await listWatchNotificationContents(
    app.db,
    events.map(({ id }) => ({ event_id: Number(id), email_address_id: 1, watch_area_id: 1 })),
  )
  const urls = urlsFrom(() => PUBLIC_URL)
  expect([contents.length, watched.length]).toEqual([3, 3])
  return (
    JSON.stringify(watched) +
    JSON.stringify(contents.map((content) => composeIssueNotification({ locale: 'en', user_id: 1 }, content, urls, 'key')))
  )
}

describe('an organisation that does not show its people', () => {
  it('is named in the place of its employees in all public answers and mails', async () => {
    await answer()

    const texts = await read(app.as.anonymous, PUBLIC(issue))
    const mails = await composeMails()

    expect([naming(EMPLOYEE, texts), mails.includes(EMPLOYEE)]).toEqual([[], false])
    expect(naming(DEPARTMENT, texts)).toEqual(expect.arrayContaining([`/issues/${issue}`, `/api/v2/issues/${issue}/comments`]))
    expect(mails).toContain(`${DEPARTMENT} wrote a comment`)
    expect((await app.as.anonymous.get(`/issues/${issue}`)).body).toMatchObject({
      assignee: { id: 0, name: DEPARTMENT, role: 'Verified Official', html_url: null },
      comments: [1, 2, 3].map(() => ({ commenter: { id: 0, name: DEPARTMENT, html_url: null } })),
    })
  })

  it('stays named after the employee has left', async () => {
    await answer()
    await app.db.prisma.organizationMember.deleteMany({ where: { user_id: employee.id } })

    const texts = await read(app.as.anonymous, PUBLIC(issue))

    expect(naming(EMPLOYEE, texts)).toEqual([])
  })

  it('shows the employee to its members on the page, and to all once it shows its people', async () => {
    await answer()
    const before = await app.as.anonymous.get(`/issues/${issue}`)

    const [page] = await read(app.as.user(colleague), [`/issues/${issue}`])
    const shown = await show(true)

    expect([page?.includes(`(${EMPLOYEE})`), shown.status]).toEqual([true, 200])
    const after = await app.as.anonymous.get(`/issues/${issue}`)
    expect(after.body).toMatchObject({
      assignee: { name: EMPLOYEE },
      comments: [1, 2, 3].map(() => ({ commenter: { name: EMPLOYEE } })),
    })
    expect(after.headers['etag']).not.toBe(before.headers['etag'])
    expect(naming(EMPLOYEE, await read(app.as.anonymous, PUBLIC(issue)))).toEqual(
      expect.arrayContaining([`/issues/${issue}`, '/api/v2/issues?details=true&status=closed']),
    )
    expect(await composeMails()).toContain(`${EMPLOYEE} (${DEPARTMENT})`)
  })

  it('hides the assignee from filters and ids of all but its members and the assignee', async () => {
    const found = async (as: ReturnType<typeof app.as.user>) =>
      ((await as.get(`/issues?assigned=${employee.id}`)).body as { issues: { id: number }[] }).issues.map(({ id }) => id)
    const ofAll = async () => [
      await found(app.as.user(colleague)),
      await found(app.as.user(employee)),
      await found(app.as.user(await app.create.user())),
      await found(app.as.anonymous),
      ...(await read(app.as.anonymous, ASSIGNEES(employee.id))).map((text) => text.includes(`"assignee_id":${employee.id}`)),
      ...(await read(app.as.anonymous, ['/exports/issues.csv'])).map(assigneesInCsv),
    ]

    const hidden = await ofAll()
    await show(true)

    expect(hidden).toEqual([[issue], [issue], [], [], false, false, false, false, ['']])
    expect(await ofAll()).toEqual([[issue], [issue], [issue], [issue], true, true, true, true, [String(employee.id)]])
  })

  it('is named in the place of the assignee of a community issue, also after they have left', async () => {
    const shared = await app.create.issue({ assignee: colleague })
    const readShared = async () => ((await app.as.anonymous.get(`/issues/${shared}`)).body as { assignee: object }).assignee
    const before = await readShared()

    const left = await leave(colleague)

    expect([before, left, await readShared()]).toMatchObject([{ id: 0, name: DEPARTMENT }, 204, { id: 0, name: DEPARTMENT }])
    expect((await app.as.anonymous.get(`/issues?assigned=${colleague.id}`)).body).toMatchObject({ issues: [] })
  })

  it.each([
    ['shows its people', true],
    ['does not either', false],
  ])('gives way to another organisation of the assignee that %s, in kept pages and ETags', async (_, shows_people) => {
    const shared = await app.create.issue({ assignee: colleague })
    const parks = await app.create.organization({ name: 'Parks', shows_people })
    await app.db.prisma.organizationMember.create({ data: { organization_id: parks, user_id: colleague.id, role: 'employee' } })
    const paths = [`/issues?assigned=${colleague.id}`, `/issues/${shared}`]
    const readAll = async () => Promise.all(paths.map((path) => app.as.anonymous.get(path)))
    await readAll()
    const before = await readAll()

    await leave(colleague)

    const [list, one] = await readAll()
    expect(before.map(({ body }) => body)).toMatchObject([{ issues: [] }, { assignee: { name: DEPARTMENT } }])
    expect(list?.body).toMatchObject({ issues: shows_people ? [{ id: shared }] : [] })
    expect(one?.body).toMatchObject({ assignee: { name: shows_people ? COLLEAGUE : 'Parks' } })
    expect(one?.headers['etag']).not.toBe(before[1]?.headers['etag'])
  })

  it('stays in the place of an employee who undid a run and has left', async () => {
    const bulk = (path: string, body: object = {}) => app.as.user(colleague).send('POST', `/api/v2/bulk${path}`, { body })
    const change = { transition: 'acknowledge', comment: 'The crew knows.' }
    const { id, hash } = (await bulk('', { ids: [issue], change })).body as { id: number; hash: string }
    await bulk(`/${id}/run`, { hash })
    await runBulk({}, { db: app.db, clock: () => new Date() })
    await bulk(`/${id}/undo`)
    await runBulk({}, { db: app.db, clock: () => new Date() })

    await leave(colleague)

    const [page = ''] = await read(app.as.anonymous, [`/issues/${issue}`])
    expect([page.includes(COLLEAGUE), page.split('<li class="event"').length]).toEqual([false, 3])
  })

  it('is not named for what its members write elsewhere', async () => {
    const elsewhere = await app.create.issue({
      request_type: await app.create.requestType({ organization: await app.create.organization() }),
    })

    await app.as.user(employee).send('POST', `/api/v2/issues/${elsewhere}/comments`, { body: { comment: 'I saw it, too.' } })

    expect((await app.as.anonymous.get(`/issues/${elsewhere}/comments`)).body).toMatchObject({
      comments: [{ commenter: { id: employee.id, name: EMPLOYEE } }],
    })
  })

  it('keeps changes of the account of an employee out of the ETag', async () => {
    await answer()
    await app.db.prisma.issue.update({ where: { id: issue }, data: { assignee_id: null } })
    const before = await app.as.anonymous.get(`/issues/${issue}`)

    await app.db.execute(sql`UPDATE users u SET name = 'Another Name' WHERE u.id = ${employee.id}`)

    expect((await app.as.anonymous.get(`/issues/${issue}`)).headers['etag']).toBe(before.headers['etag'])
  })
})
