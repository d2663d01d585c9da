import { expect, it } from 'vitest'

import { deliver } from '../../jobs/handlers/deliver.ts'
import { sql } from '../../src/database/database.ts'
import { CURSOR, listReadableUrls } from '../contract/readable-urls.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { createNotifier, createMailbox } from '../notifications/notifier.ts'
import { createModerationScenario } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { moderator, createPendingQuestion, createPendingAnswer, findOpenItem, approve, reject } = createModerationScenario(app)

const CITY = 'new-haven'
const SECRETS = ['quokka', 'wombat']
/** The responses of these URLs differ in every request. */
const ABOUT_THE_SERVICE = /^\/(health|metrics|ops)\b/

async function createCity() {
  await app.create.place({ url_name: CITY })
  const people = {
    ada: await app.create.user({ name: 'Ada' }),
    bob: await app.create.user({ name: 'Bob' }),
    mia: await moderator('Mia'),
  }
  const open = await app.create.question({ place: 1, by: people.bob, question: 'Where?' })
  await app.create.answer({ on: open, by: people.ada })

  async function createPending() {
    const question = await createPendingQuestion(people.ada, CITY, 'Where do quokka assholes live?')
    return { question, answer: await createPendingAnswer(people.ada, open, 'Ask the wombat asshole') }
  }

  /** Returns the responses of all readable URLs, without the parts that differ in every request. */
  async function readEverything(person: TestUser | undefined): Promise<Record<string, string>> {
    const client = person ? app.as.user(person) : app.as.anonymous
    const all: Record<string, string> = {}
    for (const url of listReadableUrls(app.fastify, ['1', '2', CITY], ['', '?search=quokka&subset=unanswered'])) {
      if (ABOUT_THE_SERVICE.test(url)) continue
      const { status, headers, text } = await client.send('GET', url)
      // A whole download is a new file with a new tag each time.
      const isFile = headers['accept-ranges'] !== undefined
      const isChanges = url.startsWith('/api/v2/changes')
      const tag = person === undefined && !isFile && !isChanges ? String(headers['etag'] ?? '') : ''
      const same = text.replaceAll(String(headers['x-request-id']), '')
      all[url] = `${status} ${tag} ${isChanges ? same.replaceAll(CURSOR, '') : same}`
    }
    return all
  }
  return { ...people, open, createPending, readEverything }
}

const findSecrets = (answers: Readonly<Record<string, string>>) => {
  const text = Object.values(answers).join(' ').toLowerCase()
  return SECRETS.filter((secret) => text.includes(secret))
}

async function runDeliveries() {
  const { mailer, sent } = createMailbox()
  const { services, send } = createNotifier(app.db, mailer)
  const pending = await queryRows<{ event_id: number; handler: string }>(
    app.db,
    sql`
    SELECT e.event_id, e.handler FROM outbox_deliveries e WHERE e.delivered_at IS NULL ORDER BY e.event_id, e.handler`,
  )
  for (const delivery of pending) await deliver(delivery, services, new AbortController().signal)
  await send()
  return sent
}

it('a pending question and a pending answer change no response or mail for others until they are approved', async () => {
  const { bob, mia, open, createPending, readEverything } = await createCity()
  const before = [await readEverything(undefined), await readEverything(bob)]

  const { question, answer } = await createPending()
  const mailed = await runDeliveries()

  expect([await readEverything(undefined), await readEverything(bob)]).toEqual(before)
  expect(mailed).toEqual([])
  const ops = await app.as.user(await app.create.user({ role: 'Admin' })).send('GET', '/ops/queues')
  expect(findSecrets({ ops: ops.text })).toEqual([])

  for (const item of [await findOpenItem('question', question), await findOpenItem('answer', answer)])
    expect((await approve(mia, item)).status).toBe(200)

  expect(findSecrets(await readEverything(undefined))).toEqual(SECRETS)
  expect((await runDeliveries()).map(({ to }) => to)).toEqual([bob.email])
  expect((await app.as.anonymous.get(`/questions/${open}`)).body).toMatchObject({ answer_count: 2 })
})

it('rejected questions and answers are visible only to their author and moderators', async () => {
  const { ada, bob, mia, createPending, readEverything } = await createCity()
  const before = [await readEverything(undefined), await readEverything(bob)]
  const { question, answer } = await createPending()
  for (const item of [await findOpenItem('question', question), await findOpenItem('answer', answer)])
    expect((await reject(mia, item)).status).toBe(200)

  expect([await readEverything(undefined), await readEverything(bob)]).toEqual(before)
  for (const person of [ada, mia]) {
    const statuses = [`/questions/${question}`, `/answers/${answer}`].map(
      async (path) => (await app.as.user(person).get(path)).status,
    )
    expect(await Promise.all(statuses)).toEqual([200, 200])
  }
})
