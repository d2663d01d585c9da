import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { createBrowser, formKeyIn } from '../helpers/browser.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const PATH = '/places/springfield/questions'
const createCity = () => app.create.place({ url_name: 'springfield', name: 'Springfield' })
const visitor = () => createBrowser(app.fastify)
const idOf = async (table: 'questions' | 'answers') => {
  const [row] = await queryRows<{ id: number }>(
    app.db,
    table === 'questions' ? sql`SELECT max(q.id) AS id FROM questions q` : sql`SELECT max(a.id) AS id FROM answers a`,
  )
  return row?.id ?? 0
}

describe('questions of a city', () => {
  it('are linked from the page of a city, but not of other places', async () => {
    await createCity()
    await app.create.place({ url_name: 'the-county', place_type: 'County' })

    expect((await visitor().get('/places/springfield')).text).toContain(`href="${PATH}"`)
    expect((await visitor().get('/places/the-county')).text).not.toContain('the-county/questions')
    expect((await visitor().get('/places/the-county/questions')).status).toBe(404)
  })

  it('are listed by popularity, by subset, by search and by page', async () => {
    const { id: of } = await createCity()
    for (let n = 0; n < 21; n++) await app.create.question({ place: of, question: `Lonely question ${n}` })
    await app.create.answer({
      on: await app.create.question({ place: of, question: 'Where <is> the depot?', created_at: '2020-01-01' }),
    })

    const first = await visitor().get(PATH)

    expect(first.visibleText).toMatch(/22 questions Where &lt;is&gt; the depot\? 1 answer .*Page 1 of 2/)
    expect((await visitor().get(`${PATH}?page=2`)).visibleText).toContain('Page 2 of 2')
    expect((await visitor().get(`${PATH}?subset=answered`)).visibleText).toContain('1 question ')
    expect((await visitor().get(`${PATH}?search=depo`)).visibleText).toContain('1 question ')
  })

  it.each([
    ['', 'There are no questions about Springfield yet. Ask the first question'],
    ['?subset=answered', 'Perhaps you know one?'],
    ['?subset=unanswered', 'ask another one'],
    ['?search=zebra', 'Try fewer or other words'],
  ])('explain an empty list: %s', async (query, words) => {
    await createCity()

    expect((await visitor().get(PATH + query)).visibleText).toContain(words)
  })

  it('are created once per form key, with a redirect to the new page', async () => {
    await createCity()
    const ada = await createLoggedInBrowser(app, await app.create.user())
    const form_key = formKeyIn(await ada.get(PATH))

    const sent = [
      await ada.post(PATH, { question: 'Who\r\nknows?', form_key }),
      await ada.post(PATH, { question: 'Who\r\nknows?', form_key }),
    ]

    const id = await idOf('questions')
    expect(sent.map(({ status, headers }) => [status, headers['location']])).toEqual([
      [303, `/questions/${id}`],
      [303, `/questions/${id}`],
    ])
    expect((await ada.get(`/questions/${id}`)).visibleText).toContain('Share this page with neighbours who may know')
  })

  it('show validation errors with the input, and redirect anonymous users to the login', async () => {
    await createCity()
    const ada = await createLoggedInBrowser(app, await app.create.user())

    const refused = await ada.post(PATH, { question: 'x'.repeat(1_001) })

    expect([refused.status, refused.visibleText]).toEqual([422, expect.stringContaining('Must be text of 1 to 1,000 characters.')])
    expect(refused.text).toContain('x'.repeat(1_001))
    expect((await visitor().post(PATH, { question: 'Who?' })).headers['location']).toMatch(/^\/login\?return_to=/)
    expect(await idOf('questions')).toBe(0)
  })
})

it('names the cities with their counties, because two may have the same name', async () => {
  const counties = ['Greene County', 'Clark County']
  for (const county of counties) {
    const { id } = await app.create.place({ name: 'Springfield' })
    await app.db.prisma.place.update({ where: { id }, data: { county } })
  }

  const { visibleText } = await visitor().get('/questions')

  for (const county of counties) expect(visibleText).toContain(`Springfield, ${county}, CT`)
})

describe('/questions/:id', () => {
  it('shows 100 answers, and all of them behind a link', async () => {
    const { id: place } = await createCity()
    const question = await app.create.question({ place })
    await app.db.execute(
      sql`INSERT INTO answers (question_id, answer) SELECT ${question}, 'No. ' || n FROM generate_series(1, 101) n`,
    )
    const count = (text: string) => text.match(/id="answer-\d+"/g)?.length

    const { text } = await visitor().get(`/questions/${question}`)
    const [, all = ''] = /<a href="([^"]*)">show all of them/.exec(text) ?? []

    expect([count(text), count((await visitor().get(all)).text)]).toEqual([100, 101])
  })

  it('accepts answers, votes and acceptance by forms, and shows the result', async () => {
    const { id: of } = await createCity()
    const asker = await app.create.user({ name: 'Asker' })
    const [ada, bob] = [
      await createLoggedInBrowser(app, asker),
      await createLoggedInBrowser(app, await app.create.user({ name: 'Bob' })),
    ]
    const question = await app.create.question({ place: of, by: asker })
    const page = `/questions/${question}`

    const answered = await bob.post(`${page}/answers`, { answer: 'At the <b>depot</b>' })
    const answer = await idOf('answers')
    const here = `${page}#answer-${answer}`
    const pressed = [await ada.post(`/answers/${answer}/vote`), await ada.post(`/answers/${answer}/accept`)]

    expect([answered, ...pressed].map(({ status, headers }) => [status, headers['location']])).toEqual(Array(3).fill([303, here]))
    const shown = await ada.get(page)
    expect(shown.visibleText).toMatch(
      /1 answer Bob Accepted answer .* At the &lt;b&gt;depot&lt;\/b&gt; 1 vote Remove your vote Undo acceptance/,
    )
    expect((await bob.get(page)).visibleText).not.toContain('Accept it')
    expect((await visitor().get(page)).text).not.toContain('<form method="post" action="/answers')
    await ada.post(`/answers/${answer}/accept/delete`)
    await ada.post(`/answers/${answer}/vote/delete`)
    expect((await ada.post(`/answers/${answer}/vote/delete`)).status).toBe(303)
    expect((await ada.get(page)).visibleText).toMatch(/Bob now .* 0 votes Vote for it Accept it/)
  })

  it('returns 422 for a blank answer, and 403 if another user asked the question', async () => {
    const { id: of } = await createCity()
    const question = await app.create.question({ place: of })
    const answer = await app.create.answer({ on: question })
    const bob = await createLoggedInBrowser(app, await app.create.user())

    const empty = await bob.post(`/questions/${question}/answers`, { answer: ' ' })
    const accepted = await bob.post(`/answers/${answer}/accept`)

    expect([empty.status, empty.visibleText]).toEqual([422, expect.stringContaining('Must be text of 1 to 10,000 characters.')])
    expect([accepted.status, accepted.visibleText]).toEqual([403, expect.stringContaining('Only the person who asked')])
  })

  it('shows pending questions and answers only to their authors and moderators', async () => {
    const { id: of } = await createCity()
    const ada = await app.create.user()
    const moderator = await createLoggedInBrowser(app, await app.create.user({ role: 'Admin' }))
    const pendingPath = `/questions/${await app.create.question({ place: of, by: ada, moderation_state: 'held' })}`
    const shown = await app.create.question({ place: of })
    await app.create.answer({ on: shown, by: ada, answer: 'Secret so far', moderation_state: 'held' })

    for (const reader of [await createLoggedInBrowser(app, ada), moderator]) {
      expect((await reader.get(pendingPath)).visibleText).toContain('A moderator reviews this question first.')
      expect((await reader.get(`/questions/${shown}`)).visibleText).toContain('Secret so far')
    }
    expect((await visitor().get(pendingPath)).status).toBe(404)
    expect((await visitor().get(`/questions/${shown}`)).visibleText).not.toContain('Secret so far')
  })

  it('redirects GET requests on form URLs to the question', async () => {
    const question = await app.create.question({ place: (await createCity()).id })
    const answer = await app.create.answer({ on: question })

    expect((await visitor().get(`/questions/${question}/answers`)).headers['location']).toBe(`/questions/${question}`)
    for (const step of ['vote', 'vote/delete', 'accept', 'accept/delete'])
      expect((await visitor().get(`/answers/${answer}/${step}`)).headers['location']).toBe(
        `/questions/${question}#answer-${answer}`,
      )
  })
})
