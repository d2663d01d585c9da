import { expect } from 'vitest'

import type { ApiResponse } from '../../../helpers/client.ts'
import { api, form, anonymous401, type Row, UNKNOWN_ID } from '../row.ts'
import { nextNumber, type Persona, type PersonaRows } from '../persona-rows.ts'

type State = 'passed' | 'held'

const createCity = ({ app }: PersonaRows) => app.create.place()
const createQuestion = async (world: PersonaRows, moderation_state: State = 'passed') =>
  world.app.create.question({ place: (await createCity(world)).id, by: world.people.owner, moderation_state })
const createAnswer = async (world: PersonaRows, moderation_state: State = 'passed') =>
  world.app.create.answer({ on: await createQuestion(world), by: world.people.owner, moderation_state })

/** The interface defines 422 for an anonymous caller who writes. */
const anonymous422 = { anonymous: 422 }
const readers = { owner: 200, moderator: 200, admin: 200 }
const pendingStatuses = { anonymous: 401, owner: 422, moderator: 422, admin: 422 }

const namesIn = (answer: ApiResponse) => Object.keys((answer.body as { errors: object }).errors)
const names = (field: string) => (answer: ApiResponse, persona: Persona) => {
  if (answer.status === 422) expect(namesIn(answer)).toEqual([persona === 'anonymous' ? 'login' : field])
}
const isHeld = (answer: ApiResponse) => {
  if (answer.status === 202) expect(answer.body).toEqual({ metadata: { moderated: true } })
}

interface Writing {
  readonly operation: string
  readonly field: string
  readonly path: (world: PersonaRows) => Promise<string>
}

const writing = ({ operation, field, path }: Writing): Row[] => {
  const request = (words: string) => async (world: PersonaRows) =>
    ['POST', await path(world), { [field]: `${words} ${nextNumber()}` }] as const
  return [
    {
      operation,
      what: 'a valid text',
      request: request('What I say'),
      expected: 201,
      exceptFor: anonymous422,
      check: names(field),
    },
    {
      operation,
      what: 'a multipart form',
      request: async (world) => ['POST', await path(world), form({ [field]: `In parts ${nextNumber()}` })],
      expected: 201,
      exceptFor: anonymous422,
    },
    {
      operation,
      what: 'a text that is pending review',
      request: request('asshole'),
      expected: 202,
      exceptFor: anonymous422,
      check: isHeld,
    },
    {
      operation,
      what: 'a blank text',
      request: async (world) => ['POST', await path(world), { [field]: ' ' }],
      expected: 422,
      check: names(field),
    },
  ]
}

const pathOfQuestions = async (world: PersonaRows) => api(`/${(await createCity(world)).url_name}/questions`)
const pathOfAnswers = async (world: PersonaRows) => api(`/questions/${await createQuestion(world)}/answers`)

const acting = (operation: string, method: 'PUT' | 'POST' | 'DELETE', step: string): Row[] => [
  {
    operation,
    what: 'an unknown answer',
    request: () => [method, api(`/answers/${UNKNOWN_ID}/${step}`)],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation,
    what: 'an answer pending review, which its author and moderators see',
    request: async (world) => [method, api(`/answers/${await createAnswer(world, 'held')}/${step}`)],
    expected: 404,
    exceptFor: pendingStatuses,
  },
]
const whoAccept = (expected: number) => ({
  anonymous: 401,
  employee: expected,
  elsewhere: expected,
  moderator: expected,
  admin: expected,
  owner: expected,
})

export const questionRows: readonly Row[] = [
  ...writing({ operation: 'createQuestion', field: 'question', path: pathOfQuestions }),
  {
    operation: 'createQuestion',
    what: 'a question in an unknown place',
    request: () => ['POST', api('/nowhere/questions'), { question: 'Who?' }],
    expected: 404,
    exceptFor: anonymous422,
  },
  {
    operation: 'getQuestion',
    what: 'public content',
    request: async (world) => ['GET', api(`/questions/${await createQuestion(world)}`)],
    expected: 200,
  },
  {
    operation: 'getQuestion',
    what: 'content of the owner pending review',
    request: async (world) => ['GET', api(`/questions/${await createQuestion(world, 'held')}`)],
    expected: 404,
    exceptFor: readers,
  },
  ...writing({ operation: 'createAnswer', field: 'answer', path: pathOfAnswers }),
  {
    operation: 'createAnswer',
    what: 'an answer to a question of the owner pending review',
    request: async (world) => ['POST', api(`/questions/${await createQuestion(world, 'held')}/answers`), { answer: 'I.' }],
    expected: 404,
    exceptFor: { ...pendingStatuses, anonymous: 422 },
    check: names('base'),
  },
  {
    operation: 'listAnswers',
    what: 'answers of a question',
    request: async (world) => ['GET', await pathOfAnswers(world)],
    expected: 200,
  },
  {
    operation: 'listAnswers',
    what: 'answers of a question of the owner pending review',
    request: async (world) => ['GET', api(`/questions/${await createQuestion(world, 'held')}/answers`)],
    expected: 404,
    exceptFor: readers,
  },
  {
    operation: 'listAnswers',
    what: 'a page parameter, which is ignored',
    request: async (world) => ['GET', `${await pathOfAnswers(world)}?page=x`],
    expected: 200,
  },
  {
    operation: 'getAnswer',
    what: 'public content',
    request: async (world) => ['GET', api(`/answers/${await createAnswer(world)}`)],
    expected: 200,
  },
  {
    operation: 'getAnswer',
    what: 'content of the owner pending review',
    request: async (world) => ['GET', api(`/answers/${await createAnswer(world, 'held')}`)],
    expected: 404,
    exceptFor: readers,
  },
  {
    operation: 'acceptAnswer',
    what: 'an answer to a question of the owner',
    request: async (world) => ['PUT', api(`/answers/${await createAnswer(world)}/accept`)],
    expected: 403,
    exceptFor: whoAccept(200),
  },
  ...acting('acceptAnswer', 'PUT', 'accept'),
  {
    operation: 'unacceptAnswer',
    what: 'an answer to a question of the owner',
    request: async (world) => ['DELETE', api(`/answers/${await createAnswer(world)}/accept`)],
    expected: 403,
    exceptFor: whoAccept(204),
  },
  ...acting('unacceptAnswer', 'DELETE', 'accept'),
  {
    operation: 'voteForAnswer',
    what: 'a vote',
    request: async (world) => ['POST', api(`/answers/${await createAnswer(world)}/vote`)],
    expected: 201,
    exceptFor: anonymous401,
  },
  ...acting('voteForAnswer', 'POST', 'vote'),
  {
    operation: 'withdrawAnswerVote',
    what: 'the caller’s own vote',
    request: async (world, persona) => {
      const answer = await createAnswer(world)
      if (persona !== 'anonymous') await world.app.create.answerVote({ on: answer, by: world.people[persona] })
      return ['DELETE', api(`/answers/${answer}/vote`)]
    },
    expected: 204,
    exceptFor: anonymous401,
  },
  {
    operation: 'withdrawAnswerVote',
    what: 'a missing vote',
    request: async (world) => ['DELETE', api(`/answers/${await createAnswer(world)}/vote`)],
    expected: 422,
    exceptFor: anonymous401,
  },
  ...acting('withdrawAnswerVote', 'DELETE', 'vote'),
]
