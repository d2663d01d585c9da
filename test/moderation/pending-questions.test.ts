import { beforeEach, describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN, type TestUser } from '../helpers/factories.ts'
import { stopTimers } from '../helpers/stopped-timers.ts'
import { useApp } from '../helpers/use-app.ts'
import { createModerationScenario } from './scenario.ts'

const app = useApp()
const { moderator, createPendingQuestion, createPendingAnswer, runModerateJobs, findOpenItem, items, approve, reject, events } =
  createModerationScenario(app)

const CITY = 'new-haven'
let [ada, mia]: TestUser[] = []
const people = () => ({ ada: ada as TestUser, mia: mia as TestUser })

beforeEach(async () => {
  await app.create.place({ url_name: CITY, name: 'New Haven' })
  ada = await app.create.user({ name: 'Ada' })
  mia = await moderator('Mia')
})

const notes = async () => (await items(people().mia)).map(({ note }) => note)
const answer = (by: TestUser, question: number, text: string) =>
  app.as.user(by).send('POST', `/api/v2/questions/${question}/answers`, { body: { answer: text } })

describe('the automatic checks', () => {
  it('approve a question with a word in the name of a street anywhere in its city, without a moderator', async () => {
    const { ada, mia } = people()
    await app.create.issue({ address: '14 Dick Street, New Haven', at: { lng: GREEN.lng + 0.09, lat: GREEN.lat - 0.09 } })
    const question = await createPendingQuestion(ada, CITY, 'When is Dick Street open again?')

    const queued = await runModerateJobs()

    expect(await items(mia)).toEqual([])
    expect(await items(mia, '?state=approved')).toMatchObject([
      { decided_by: null, note: 'The blocked words are part of names near this place: dick street.' },
    ])
    expect([(await app.as.anonymous.get(`/questions/${question}`)).body, await events()]).toMatchObject([
      { created_at: '2031-02-03T04:05:06Z' },
      ['question.held', 'question.asked'],
    ])
    expect(queued).toEqual([])
  })

  it('approve an answer with the name of a place that overlaps the city, and queue the mail to the asker', async () => {
    const { ada } = people()
    await app.create.place({ name: 'Dick Park', around: { lng: GREEN.lng + 0.15, lat: GREEN.lat }, size: 0.06 })
    const question = await app.create.question({ place: 1, by: people().mia })
    await createPendingAnswer(ada, question, 'In Dick Park, every day')

    const queued = await runModerateJobs()

    expect(await events()).toEqual(['answer.held', 'answer.given'])
    expect(queued).toMatchObject([{ handler: 'notify' }])
  })

  it('do not approve it if the street is in another city or the word is in no name', async () => {
    const { ada } = people()
    await app.create.issue({ address: '14 Dick Street', at: FAR_AWAY })
    await createPendingQuestion(ada, CITY, 'When is Dick Street open again?')
    await createPendingQuestion(ada, CITY, 'Who is this dick?')

    await runModerateJobs()

    expect(await notes()).toEqual(
      Array(2).fill(expect.stringMatching(/^Blocked words that are not part of a name near this place: dick/i)),
    )
  })

  it('approve links to hosts that a moderator approved, and no others', async () => {
    const { ada, mia } = people()
    const see = (path: string) => `Is this right: https://example.org/${path} ?`
    const first = await createPendingQuestion(ada, CITY, see('a'))
    await runModerateJobs()
    expect(await notes()).toEqual(['Links to hosts that no moderator has approved yet: example.org.'])
    await approve(mia, await findOpenItem('question', first))

    await createPendingAnswer(ada, first, see('b'))
    await runModerateJobs()

    expect([await items(mia), (await events()).at(-1)]).toEqual([[], 'answer.given'])
  })

  it('approve identical answers of an employee of the city, and no other repeated text', async () => {
    const { ada, mia } = people()
    const employee = await app.create.user({ memberOf: [{ organization: await app.create.organization() }] })
    const far = await app.create.organization({ around: FAR_AWAY })
    const elsewhere = await app.create.user({ memberOf: [{ organization: far }] })
    const questions = await Promise.all([1, 2, 3].map(() => app.create.question({ place: 1 })))
    for (const by of [employee, ada, elsewhere]) {
      for (const [index, question] of questions.entries())
        expect((await answer(by, question, 'Call 311.')).status).toBe(index < 2 ? 201 : 202)
    }
    const ask = () => app.as.user(ada).send('POST', `/api/v2/${CITY}/questions`, { body: { question: 'Where?' } })
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([201, 201, 202])

    await runModerateJobs()

    expect(await items(mia, '?state=approved')).toMatchObject([
      { note: 'An employee gave the same answer to several questions of their city.' },
    ])
    expect(await notes()).toEqual([
      'The same answer was sent several times within an hour.',
      'The same answer was sent several times within an hour.',
      'The same question was sent several times within an hour.',
    ])
  })
})

describe('twenty concurrent decisions', () => {
  stopTimers()

  it.each(['question', 'answer'] as const)('on one %s: one succeeds, and its effects happen once', async (type) => {
    const { ada, mia } = people()
    const max = await moderator('Max')
    const question = type === 'question' ? await createPendingQuestion(ada, CITY) : await app.create.question({ place: 1 })
    const item = await findOpenItem(type, type === 'question' ? question : await createPendingAnswer(ada, question))

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, count) => (count % 2 === 0 ? approve(mia, item) : reject(max, item))),
    )

    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    const approved = (won[0]!.body as { state: string }).state === 'approved'
    const base = approved ? 'This was already approved by Mia.' : 'This was already rejected by Max.'
    expect(answers.filter(({ status }) => status !== 200)).toMatchObject(Array(19).fill({ status: 422, body: { base } }))
    const published = type === 'question' ? 'question.asked' : 'answer.given'
    expect(await events()).toEqual([`${type}.held`, approved ? published : `${type}.rejected`])
  })

  it('on a question and its answers, while others answer, vote and flag: no answer of a rejected question is visible', async () => {
    const { ada, mia } = people()
    const question = await app.create.question({ place: 1 })
    const open = await app.create.answer({ on: question })
    const authors = await Promise.all(Array.from({ length: 6 }, () => app.create.user()))
    const found: number[] = []
    for (const author of authors) found.push(await findOpenItem('answer', await createPendingAnswer(author, question)))
    const whole = await app.db.prisma.moderationItem.create({
      data: { subject_type: 'question', subject_id: question, reasons: ['flagged'], original: {} },
    })
    const act = (by: TestUser, path: string, body: object = {}) => app.as.user(by).send('POST', `/api/v2${path}`, { body })

    const answers = await Promise.all([
      ...found.slice(0, 3).map((item) => approve(mia, item)),
      reject(mia, whole.id),
      ...found.slice(3).map((item) => approve(mia, item)),
      ...authors.flatMap((author) => [
        act(author, `/answers/${open}/vote`),
        act(author, `/questions/${question}/flag`, { message: 'Spam' }),
        act(author, `/answers/${open}/flag`, { message: 'Spam' }),
      ]),
      act(ada, `/questions/${question}/answers`, { answer: 'Here.' }),
    ])

    expect(answers.filter(({ status }) => ![200, 201, 404, 422].includes(status))).toEqual([])
    const happened = await events()
    const rejected = happened.indexOf('question.rejected')
    expect(rejected).toBeGreaterThan(-1)
    expect(happened.slice(rejected + 1)).toEqual([])
    expect((await app.as.anonymous.get(`/questions/${question}`)).status).toBe(404)
    const row = await app.db.prisma.question.findUnique({ where: { id: question } })
    expect(row?.answer_count).toBe(1 + happened.filter((type) => type === 'answer.given').length)
    const points = await app.db.prisma.user.findMany({ where: { civic_points: { not: 0 } } })
    expect(points).toEqual([])
  })
})
