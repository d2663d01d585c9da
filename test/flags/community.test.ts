import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { createBrowser } from '../helpers/browser.ts'
import type { TestUser } from '../helpers/factories.ts'
import { engine } from '../helpers/servers.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'
import { approve, flag, createAccount, createOldAccounts, listItems } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const CROWD = engine === 'server' ? 30 : 12

let asker: TestUser
let answerer: TestUser
let question: number
let answer: number
beforeEach(async () => {
  const city = await app.create.place({ name: 'New Haven' })
  asker = await app.create.user()
  answerer = await app.create.user()
  question = await app.create.question({ place: city.id, by: asker, question: 'Cheap flats?' })
  answer = await app.create.answer({ on: question, by: answerer, answer: 'Call us' })
})

const flags = () => queryRows(app.db, sql`SELECT f.question_id, f.answer_id, f.user_id, f.message FROM flags f ORDER BY f.id`)
const events = () => queryRows(app.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload FROM events e ORDER BY e.id`)
const FLAGGED = { status: 201, body: { flagged: 1 } }

describe('POST /questions/:id/flag and /answers/:id/flag', () => {
  it('returns 201 {flagged: 1} at flag_url, stores the message and an event once', async () => {
    const ada = await app.create.user()
    const [{ flag_url: ofQuestion }, list] = [
      (await app.as.anonymous.get(`/questions/${question}`)).body as { flag_url: string },
      (await app.as.anonymous.get(`/questions/${question}/answers`)).body as { answers: { flag_url: string }[] },
    ]
    const urls = [ofQuestion, list.answers[0]?.flag_url ?? '', ofQuestion]

    const answers = []
    for (const url of urls)
      answers.push(await app.as.user(ada).send('POST', new URL(url).pathname, { body: { message: ' Sold here. ' } }))

    expect(answers).toMatchObject([FLAGGED, FLAGGED, FLAGGED])
    expect(await flags()).toEqual([
      { question_id: question, answer_id: null, user_id: ada.id, message: 'Sold here.' },
      { question_id: null, answer_id: answer, user_id: ada.id, message: 'Sold here.' },
    ])
    expect(await events()).toEqual([
      { type: 'question.flagged', subject_id: question, actor_id: ada.id, payload: { flag_id: 1 } },
      { type: 'answer.flagged', subject_id: answer, actor_id: ada.id, payload: { question_id: question, flag_id: 2 } },
    ])
  })

  it('returns 422 {base} for one’s own text', async () => {
    const base = 'You wrote this yourself, so you cannot flag it: describe in an answer what is wrong with it.'
    expect(await flag(app, asker, `/questions/${question}`)).toMatchObject({ status: 422, body: { base } })
    expect(await flag(app, answerer, `/answers/${answer}`)).toMatchObject({ status: 422, body: { base } })
    expect(await flags()).toEqual([])
  })

  it('returns 404 for what is not public, but 422 {base} to its author and moderators', async () => {
    const [bob, admin] = [await app.create.user(), await app.create.user({ role: 'Admin' })]
    const pending = await app.create.question({ place: 1, by: asker, moderation_state: 'held' })
    const paths = [
      `/questions/${pending}`,
      `/answers/${await app.create.answer({ on: question, by: asker, moderation_state: 'rejected' })}`,
      `/answers/${await app.create.answer({ on: pending, by: asker })}`,
      '/questions/999',
      '/answers/999',
    ]
    const statuses = async (person: TestUser) => Promise.all(paths.map(async (path) => (await flag(app, person, path)).status))

    expect(await statuses(bob)).toEqual([404, 404, 404, 404, 404])
    expect(await statuses(asker)).toEqual([422, 422, 422, 404, 404])
    expect(await statuses(admin)).toEqual([422, 422, 422, 404, 404])
    expect(await flags()).toEqual([])
  })

  it('returns 422 without a message or for one that is too long', async () => {
    const ada = await app.create.user()
    const bodies = [{}, { message: 'x'.repeat(1_001) }]
    const answers = await Promise.all(bodies.map((body) => flag(app, ada, `/answers/${answer}`, body)))
    expect(answers).toMatchObject(Array(2).fill({ status: 422, body: { message: expect.any(String) as string } }))
  })
})

describe('three flags from old accounts', () => {
  it('add a moderation item with the current text for each subject, which stays public', async () => {
    const [people, young] = [await createOldAccounts(app, 3), await createAccount(app, 0.5)]

    const counts = []
    for (const person of [young, ...people]) {
      await flag(app, person, `/questions/${question}`)
      counts.push((await listItems(app)).length)
    }
    for (const person of people) await flag(app, person, `/answers/${answer}`)

    expect(counts).toEqual([0, 0, 0, 1])
    const item = { state: 'held', reasons: ['flagged'], requested_transition: null }
    expect(await listItems(app)).toEqual([
      { ...item, subject_type: 'question', subject_id: question, original: { question: 'Cheap flats?' } },
      { ...item, subject_type: 'answer', subject_id: answer, original: { answer: 'Call us' } },
    ])
    expect((await app.as.anonymous.get(`/questions/${question}`)).status).toBe(200)
  })

  it('are needed again, from other users, after an approval', async () => {
    const people = await createOldAccounts(app, 6)
    for (const person of people.slice(0, 3)) await flag(app, person, `/answers/${answer}`)
    await approve(app)

    for (const person of people.slice(0, 5)) await flag(app, person, `/answers/${answer}`)
    const before = (await listItems(app)).length
    await flag(app, people[5] as TestUser, `/answers/${answer}`)

    expect([before, (await listItems(app)).length]).toEqual([1, 2])
  })

  it('add one item for the question and one for the answer under concurrency', async () => {
    const people = await createOldAccounts(app, CROWD)

    const answers = await Promise.all(
      people.flatMap((person) => [flag(app, person, `/questions/${question}`), flag(app, person, `/answers/${answer}`)]),
    )

    expect(answers.filter(({ status }) => status !== 201)).toEqual([])
    expect((await listItems(app)).map((item) => (item as { subject_type: string }).subject_type).toSorted()).toEqual([
      'answer',
      'question',
    ])
    expect((await flags()).length).toBe(2 * CROWD)
  })
})

describe('GET /questions/:id/flag and /answers/:id/flag', () => {
  it('explains, links back to the question, and accepts the flag of a logged-in user', async () => {
    const ada = await app.create.user()
    const browser = await createLoggedInBrowser(app, ada)
    for (const [path, back] of [
      [`/questions/${question}/flag`, `/questions/${question}`],
      [`/answers/${answer}/flag`, `/questions/${question}#answer-${answer}`],
    ] as const) {
      const page = await createBrowser(app.fastify).get(`/api/v2${path}`)
      expect([page.status, page.text.includes(`${back}"`)]).toEqual([200, true])
      expect((await browser.get(path)).visibleText).toContain('What is wrong with it?')
      expect((await browser.post(path, { message: 'Spam' })).status).toBe(303)
      expect((await browser.get(path)).visibleText).toContain('You have flagged this')
    }
    expect(await flags()).toHaveLength(2)
  })
})
