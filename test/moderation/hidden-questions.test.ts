import { expect, it } from 'vitest'

import { deliver } from '../../jobs/handlers/deliver.ts'
import { sql } from '../../src/database/database.ts'
import { listReadableUrls } from '../contract/readable-urls.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { notifierWith, postbox } from '../notifications/news.ts'
import { storyOn } from './story.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { moderator, heldQuestion, heldAnswer, itemOf, approve, reject } = storyOn(app)

const CITY = 'new-haven'
const SECRETS = ['quokka', 'wombat']
/** They say how the service is doing, which changes from moment to moment. */
const ABOUT_THE_SERVICE = /^\/(health|metrics|ops)\b/

/** A city with a question that has an answer; and what is going to be held there. */
async function givenCity() {
  await app.create.place({ url_name: CITY })
  const people = {
    ada: await app.create.user({ name: 'Ada' }),
    bob: await app.create.user({ name: 'Bob' }),
    mia: await moderator('Mia'),
  }
  const open = await app.create.question({ place: 1, by: people.bob, question: 'Where?' })
  await app.create.answer({ on: open, by: people.ada })

  async function hold() {
    const question = await heldQuestion(people.ada, CITY, 'Where do quokka assholes live?')
    return { question, answer: await heldAnswer(people.ada, open, 'Ask the wombat asshole') }
  }

  /** What somebody is answered at every address that can be read, without what is another at every request. */
  async function everythingFor(person: TestUser | undefined): Promise<Record<string, string>> {
    const client = person ? app.as.user(person) : app.as.anonymous
    const all: Record<string, string> = {}
    for (const url of listReadableUrls(app.fastify, ['1', '2', CITY], ['', '?search=quokka&subset=unanswered'])) {
      if (ABOUT_THE_SERVICE.test(url)) continue
      const { status, headers, text } = await client.send('GET', url)
      const tag = person === undefined ? String(headers['etag'] ?? '') : ''
      all[url] = `${status} ${tag} ${text.replaceAll(String(headers['x-request-id']), '')}`
    }
    return all
  }
  return { ...people, open, hold, everythingFor }
}

const shown = (answers: Readonly<Record<string, string>>) => {
  const text = Object.values(answers).join(' ').toLowerCase()
  return SECRETS.filter((secret) => text.includes(secret))
}

/** All that the queues would do now; the mails. */
async function work() {
  const { mailer, sent } = postbox()
  const { services, send } = notifierWith(app.db, mailer)
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
  const { bob, mia, open, hold, everythingFor } = await givenCity()
  const before = [await everythingFor(undefined), await everythingFor(bob)]

  const { question, answer } = await hold()
  const mailed = await work()

  expect([await everythingFor(undefined), await everythingFor(bob)]).toEqual(before)
  expect(mailed).toEqual([])
  const ops = await app.as.user(await app.create.user({ role: 'Admin' })).send('GET', '/ops/queues')
  expect(shown({ ops: ops.text })).toEqual([])

  for (const item of [await itemOf('question', question), await itemOf('answer', answer)])
    expect((await approve(mia, item)).status).toBe(200)

  expect(shown(await everythingFor(undefined))).toEqual(SECRETS)
  expect((await work()).map(({ to }) => to)).toEqual([bob.email])
  expect((await app.as.anonymous.get(`/questions/${open}`)).body).toMatchObject({ answer_count: 2 })
}, 180_000)

it('rejected ones are visible only to their author and moderators', async () => {
  const { ada, bob, mia, hold, everythingFor } = await givenCity()
  const before = [await everythingFor(undefined), await everythingFor(bob)]
  const { question, answer } = await hold()
  for (const item of [await itemOf('question', question), await itemOf('answer', answer)])
    expect((await reject(mia, item)).status).toBe(200)

  expect([await everythingFor(undefined), await everythingFor(bob)]).toEqual(before)
  for (const person of [ada, mia]) {
    const statuses = [`/questions/${question}`, `/answers/${answer}`].map(
      async (path) => (await app.as.user(person).get(path)).status,
    )
    expect(await Promise.all(statuses)).toEqual([200, 200])
  }
}, 120_000)
