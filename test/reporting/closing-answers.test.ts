import { beforeEach, describe, expect, it } from 'vitest'

import { askClosings } from '../../jobs/handlers/batch-jobs.ts'
import { sql } from '../../src/database/database.ts'
import { closingToken, findUnsubscribeKey } from '../../src/mail/unsubscribe-token.ts'
import { createBrowser } from '../helpers/browser.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { silentLog } from '../jobs/log.ts'
import { createMailbox, createNotifier } from '../notifications/notifier.ts'

const app = useApp()
const DAY_MS = 86_400_000

let people: Record<'ella' | 'ada' | 'near' | 'far' | 'hidden', TestUser>
let issue: number

beforeEach(async () => {
  const roads = await app.create.organization({ name: 'Denver Roads' })
  people = {
    ella: await app.create.user({ memberOf: [{ organization: roads }] }),
    ada: await app.create.user({ name: 'Ada Park' }),
    near: await app.create.user({ share_location: true }),
    far: await app.create.user({ share_location: true }),
    hidden: await app.create.user(),
  }
  issue = await app.create.issue({
    summary: 'Pothole',
    reporter: people.ada,
    request_type: await app.create.requestType({ organization: roads }),
  })
  for (const by of Object.values(people)) await app.create.follow({ on: issue, by })
  const { near, far, hidden } = people
  for (const [{ id }, lat] of [
    [near, 41.31],
    [far, 41.35],
    [hidden, 41.31],
  ] as const)
    await app.db.execute(sql`UPDATE users SET location_lng = ${GREEN.lng}, location_lat = ${lat} WHERE id = ${id}`)
})

const send = (by: TestUser, step: string, body = {}) =>
  app.as.user(by).send('POST', `/api/v2/issues/${issue}/${step}`, { body: { comment: `${step} it.`, ...body } })
const askAfter = (ms: number) => askClosings({}, { db: app.db, log: silentLog, clock: () => new Date(Date.now() + ms) })
const read = async (id = issue) => (await app.as.anonymous.get(`/issues/${id}`)).body as Record<string, unknown>

async function sendMails() {
  const { mailer, sent } = createMailbox()
  await createNotifier(app.db, mailer).send()
  return sent.filter(({ subject }) => subject.startsWith('Is it fixed?'))
}

/** Closes the issue and returns the token of a user. */
async function tokenAfterClosing({ id }: TestUser): Promise<string> {
  await send(people.ella, 'close', { outcome: 'fixed' })
  const { id: status_change_id } = await app.db.prisma.statusChange.findFirstOrThrow({
    where: { issue_id: issue, to_status: 'Closed' },
    orderBy: { id: 'desc' },
  })
  return closingToken(await findUnsubscribeKey(app.db), { user_id: id, status_change_id })
}

const answer = (token: string, fixed: 'yes' | 'no', comment = '') =>
  createBrowser(app.fastify).post('/closings', { token, fixed, comment })

describe('the question whether a closed issue is fixed', () => {
  it('is mailed once, three days after a closing by staff, to the reporter and to followers who share a location near it', async () => {
    await send(people.ella, 'close', { outcome: 'passed_on', passed_on_to: 'State Roads' })

    await askAfter(3 * DAY_MS - 60_000)
    const tooEarly = await sendMails()
    await Promise.all([askAfter(3 * DAY_MS), askAfter(3 * DAY_MS)])
    await askAfter(3 * DAY_MS + 60_000)
    const sent = await sendMails()

    expect(tooEarly).toEqual([])
    expect(sent.map(({ to }) => to).sort()).toEqual([people.ada.email, people.near.email].sort())
    const [{ text = '' } = {}] = sent
    expect(text).toContain('Denver Roads closed this issue three days ago.')
    expect(text).toContain('Status: closed · passed on (State Roads)')
    const links = [...text.matchAll(/http:\/\/fixpoint\.test(\/closings\?token=\S+&fixed=(?:yes|no))/g)].map(([, path]) => path)
    expect(links).toHaveLength(2)
    const pages = await Promise.all(links.map((path) => createBrowser(app.fastify).get(path ?? '')))
    expect(pages.map(({ status }) => status)).toEqual([200, 200])
    expect(await read()).toMatchObject({ status: 'Closed', confirmations: { fixed: 0, not_fixed: 0 } })
  })

  it('is not asked after a closing by a resident, nor if the issue was opened again, before or after the mail was written', async () => {
    await send(people.ada, 'close')
    await askAfter(3 * DAY_MS)
    await send(people.ada, 'open')
    await send(people.ella, 'close', { comment: 'Done.' })
    await send(people.ada, 'open', { comment: 'No.' })
    await askAfter(3 * DAY_MS)
    await send(people.ella, 'close', { comment: 'Really.' })
    await askAfter(3 * DAY_MS)
    await send(people.ada, 'open', { comment: 'Still there.' })

    const sent = await sendMails()

    expect(sent).toEqual([])
    const mails = await queryRows<{ kind: string }>(app.db, sql`SELECT m.kind FROM mails m WHERE m.kind = 'closing'`)
    expect(mails).toHaveLength(2)
  })

  it('is not asked days late after a downtime', async () => {
    await send(people.ella, 'close')

    await askAfter(7 * DAY_MS)
    await askAfter(3 * DAY_MS)

    expect(await sendMails()).toEqual([])
  })
})

describe('POST /closings', () => {
  it('counts each person once, and all users see the share', async () => {
    const token = await tokenAfterClosing(people.ada)
    const other = await tokenAfterClosing(people.near)
    const before = await app.as.anonymous.get(`/issues/${issue}`)

    const answers = [await answer(token, 'yes'), await answer(token, 'yes'), await answer(other, 'yes')]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers[0]?.visibleText).toContain('Thank you. Your answer counts.')
    const after = await app.as.anonymous.get(`/issues/${issue}`)
    expect(after.body).toMatchObject({ status: 'Closed', confirmations: { fixed: 2, not_fixed: 0 } })
    expect(after.headers['etag']).not.toBe(before.headers['etag'])
    expect((await createBrowser(app.fastify).get(`/issues/${issue}`)).visibleText).toContain('2 of 2 say it is fixed')
  })

  it('opens the issue again with a text, as the user, and then takes no other answer', async () => {
    const token = await tokenAfterClosing(people.ada)
    const other = await tokenAfterClosing(people.near)

    const blank = await answer(token, 'no', '  ')
    const opened = await answer(token, 'no', 'The hole is back.')
    const late = await answer(other, 'yes')

    expect([blank.status, opened.status, late.status]).toEqual([422, 200, 422])
    expect(blank.visibleText).toContain('Must be text of 1 to 10,000 characters.')
    expect(opened.visibleText).toContain('The issue is open again.')
    expect(late.visibleText).toContain('The issue is open again.')
    expect(await read()).toMatchObject({
      status: 'Open',
      outcome: null,
      comments: [{}, { comment: 'The hole is back.', commenter: { id: people.ada.id } }],
    })
    const stored = await app.db.prisma.closingAnswer.findMany()
    expect(stored).toMatchObject([{ user_id: people.ada.id, issue_id: issue, is_fixed: false }])
  })

  it('reports the problem of an archived issue again, once', async () => {
    const token = await tokenAfterClosing(people.ada)
    await app.db.prisma.issue.update({ where: { id: issue }, data: { status: 'Archived' } })

    const opened = await answer(token, 'no', 'The hole is back.')
    const again = await answer(token, 'no', 'The hole is back.')

    expect([opened.status, again.status]).toEqual([200, 422])
    const { id } = await app.db.prisma.issue.findFirstOrThrow({ where: { previous_issue_id: issue } })
    expect(opened.visibleText).toContain(`See issue #${id}`)
    expect(await read(id)).toMatchObject({
      ...{ status: 'Open', summary: 'Pothole', description: 'The hole is back.', previous_issue: issue },
      reporter: { id: people.ada.id },
    })
    expect(await read()).toMatchObject({ status: 'Archived', confirmations: { fixed: 0, not_fixed: 1 } })
    expect((await createBrowser(app.fastify).get(`/issues/${id}`)).text).toContain(`<a href="/issues/${issue}">issue #${issue}</a>`)
  })

  it('takes no answer more than 14 days after the closing, nor with a wrong token', async () => {
    const token = await tokenAfterClosing(people.ada)
    await app.db.execute(sql`UPDATE status_changes SET created_at = created_at - interval '14 days'`)

    const answers = [
      await answer(token, 'yes'),
      await answer(
        token.replace(/.$/, (end) => (end === 'a' ? 'b' : 'a')),
        'yes',
      ),
    ]

    expect(answers.map(({ status }) => status)).toEqual([422, 404])
    expect(answers[0]?.visibleText).toContain('This question can no longer be answered')
  })
})
