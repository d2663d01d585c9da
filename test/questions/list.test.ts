import { describe, expect, it } from 'vitest'

import { useApp } from '../helpers/use-app.ts'

const app = useApp()

interface Listed {
  readonly questions: readonly { readonly id: number; readonly question: string }[]
  readonly metadata: { readonly pagination: Record<string, unknown> }
  readonly errors: object
}
const list = async (query = '', city = 'springfield') => {
  const { status, body } = await app.as.anonymous.get(`/${city}/questions${query}`)
  expect(status).toBe(200)
  return body as Listed
}
const texts = async (query = '') => (await list(query)).questions.map(({ question }) => question)
const createCity = () => app.create.place({ url_name: 'springfield', name: 'Springfield' })

describe('GET /:place_url_name/questions', () => {
  it('returns complete questions and the totals of the list', async () => {
    const city = await createCity()
    const [ada, bob] = [await app.create.user({ name: 'Ada Park', civic_points: 120 }), await app.create.user()]
    const id = await app.create.question({ place: city.id, by: ada })
    const answer = await app.create.answer({ on: id, accepted_at: '2026-01-05T00:00:00Z' })
    await app.create.answerVote({ on: answer, by: bob })

    const avatar = 'http://fixpoint.test/files/icons/avatar.svg'
    expect(await list()).toEqual({
      metadata: {
        pagination: {
          ...{ entries: 1, page: 1, per_page: 20, pages: 1 },
          ...{ next_page: null, next_page_url: null, previous_page: null, previous_page_url: null },
        },
      },
      questions: [
        {
          id,
          question: 'Where can I drop off old paint?',
          asker: {
            avatar: { full: avatar, square_100x100: avatar },
            html_url: `http://fixpoint.test/users/${ada.id}`,
            ...{ civic_points: 120, id: ada.id, name: 'Ada Park', role: 'Registered User', witty_title: 'Civic Pride' },
          },
          locale: 'en',
          created_at: '2026-01-03T00:00:00Z',
          updated_at: '2026-01-03T00:00:00Z',
          answer_count: 1,
          popularity: 2,
          accepted_answer_id: answer,
          place: {
            id: city.id,
            name: 'Springfield',
            url_name: 'springfield',
            url: `http://fixpoint.test/api/v2/places/${city.id}`,
          },
          url: `http://fixpoint.test/api/v2/questions/${id}`,
          html_url: `http://fixpoint.test/questions/${id}`,
          answers_url: `http://fixpoint.test/api/v2/questions/${id}/answers`,
          flag_url: `http://fixpoint.test/api/v2/questions/${id}/flag`,
        },
      ],
      errors: {},
    })
  })

  it('sorts by popularity, then the newest, then the highest id', async () => {
    const { id: of } = await createCity()
    const people = [await app.create.user(), await app.create.user()]
    await app.create.question({ place: of, question: 'old', created_at: '2026-01-01T00:00:00Z' })
    await app.create.question({ place: of, question: 'first twin', created_at: '2026-01-02T00:00:00Z' })
    await app.create.question({ place: of, question: 'second twin', created_at: '2026-01-02T00:00:00Z' })
    const answered = await app.create.question({ place: of, question: 'answered twice', created_at: '2025-01-01T00:00:00Z' })
    const voted = await app.create.question({ place: of, question: 'voted twice', created_at: '2024-01-01T00:00:00Z' })
    for (const on of [answered, answered, voted]) await app.create.answer({ on })
    const answer = await app.create.answer({ on: voted })
    for (const by of people) await app.create.answerVote({ on: answer, by })

    expect(await texts()).toEqual(['voted twice', 'answered twice', 'second twin', 'first twin', 'old'])
    expect(await texts('?per_page=2&page=2')).toEqual(['second twin', 'first twin'])
  })

  it('omits pending and rejected questions, and counts only visible answers and votes', async () => {
    const { id: of } = await createCity()
    const ada = await app.create.user()
    const visible = await app.create.question({ place: of, question: 'shown' })
    for (const moderation_state of ['held', 'rejected'] as const) {
      await app.create.question({ place: of, by: ada, question: moderation_state, moderation_state })
      await app.create.answerVote({ on: await app.create.answer({ on: visible, by: ada, moderation_state }), by: ada })
    }

    const { body } = await app.as.user(ada).get('/springfield/questions')

    expect(body).toMatchObject({
      metadata: { pagination: { entries: 1 } },
      questions: [{ question: 'shown', answer_count: 0, popularity: 0 }],
    })
    expect(await texts('?subset=answered')).toEqual([])
  })

  it.each([
    ['answered', ['with an answer']],
    ['unanswered', ['without']],
    ['', ['with an answer', 'without']],
  ])('returns for subset=%s %j', async (subset, expected) => {
    const { id: of } = await createCity()
    await app.create.question({ place: of, question: 'without' })
    await app.create.answer({ on: await app.create.question({ place: of, question: 'with an answer' }) })

    const { questions, metadata } = await list(`?subset=${subset}`)

    expect(questions.map(({ question }) => question)).toEqual(expected)
    expect(metadata.pagination['entries']).toBe(expected.length)
  })

  it.each([
    ['a word', 'paint', ['Wo färbt man Café-Stühle? Old paint!']],
    ['the prefix of a word', 'pai', ['Wo färbt man Café-Stühle? Old paint!']],
    ['words in any order', 'paint old', ['Wo färbt man Café-Stühle? Old paint!']],
    ['another case and no accents', 'FARBT cafe', ['Wo färbt man Café-Stühle? Old paint!']],
    ['another form of the word', 'dogs', ['May my dog run free?']],
    ['words that no question contains together', 'paint dog', []],
    ['nothing but punctuation', '!?', []],
    ['blanks', '%20', ['May my dog run free?', 'Wo färbt man Café-Stühle? Old paint!']],
  ])('finds %s', async (_, search, expected) => {
    const { id: of } = await createCity()
    await app.create.question({ place: of, question: 'Wo färbt man Café-Stühle? Old paint!', created_at: '2026-01-01T00:00:00Z' })
    await app.create.question({ place: of, question: 'May my dog run free?' })
    await app.create.question({ place: (await app.create.place()).id, question: 'The paint and the dog of another city' })

    expect(await texts(`?search=${search}`)).toEqual(expected)
  })

  it('keeps all parameters in the links to the next and previous page', async () => {
    const { id: of } = await createCity()
    for (const question of ['a dog', 'two dogs', 'three dogs']) await app.create.question({ place: of, question })

    const { metadata } = await list('?subset=unanswered&search=dog&per_page=1&page=2&other=1')

    expect(metadata.pagination).toMatchObject({
      ...{ entries: 3, pages: 3, next_page: 3, previous_page: 1 },
      next_page_url: 'http://fixpoint.test/api/v2/springfield/questions?other=1&page=3&per_page=1&search=dog&subset=unanswered',
    })
  })

  it.each([
    ['another subset', '?subset=popular', { subset: 'must be answered, unanswered, or blank for both' }],
    ['a subset in another case', '?subset=Answered', { subset: 'must be answered, unanswered, or blank for both' }],
    ['a search of more than 200 characters', `?search=${'x'.repeat(201)}`, { search: 'must be a text of at most 200 characters' }],
    ['a search of more than ten words', '?search=a+b+c+d+e+f+g+h+i+j+k', { search: 'must have at most 10 words' }],
    ['a page that is not a number', '?page=one', { page: 'must be an integer' }],
  ])('returns 422 for %s', async (_, query, errors) => {
    await createCity()

    expect(await app.as.anonymous.get(`/springfield/questions${query}`)).toMatchObject({ status: 422, body: errors })
  })

  it('returns 404 for a place that is not a City, an unknown place and reserved names', async () => {
    await app.create.place({ url_name: 'the-county', place_type: 'County' })

    for (const name of ['the-county', 'nowhere', 'issues', 'places', 'answers', 'questions', 'SPRINGFIELD'])
      expect(await app.as.anonymous.get(`/${name}/questions`), name).toMatchObject({ status: 404 })
  })

  it('returns 304 until something changes', async () => {
    const { id: of } = await createCity()
    const ada = await app.create.user()
    const id = await app.create.question({ place: of, by: ada })
    const answer = await app.create.answer({ on: id })
    const etag = async () => String((await app.as.anonymous.get('/springfield/questions')).headers['etag'])
    const first = await etag()

    const again = await app.as.anonymous.get('/springfield/questions', { 'if-none-match': first })
    await app.create.answerVote({ on: answer, by: ada })

    expect(again).toMatchObject({ status: 304, text: '' })
    expect(await etag()).not.toBe(first)
  })
})
