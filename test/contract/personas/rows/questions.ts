import { expect } from 'vitest'

import type { Answer } from '../../../helpers/client.ts'
import { api, form, onlyMembers, type Row, UNKNOWN_ID } from '../row.ts'
import { counted, type Persona, type World } from '../world.ts'

type State = 'passed' | 'held'

/** Around GREEN, as the areas of both organisations are. */
const givenCity = ({ app }: World) => app.create.place()
const givenQuestion = async (world: World, moderation_state: State = 'passed') =>
  world.app.create.question({ of: (await givenCity(world)).id, by: world.people.owner, moderation_state })
const givenAnswer = async (world: World, moderation_state: State = 'passed') =>
  world.app.create.cityAnswer({ on: await givenQuestion(world), by: world.people.owner, moderation_state })

/** The interface wants it as a fault, where something is written. */
const nobodyByFault = { anonymous: 422 }
const readers = { owner: 200, moderator: 200, admin: 200 }
const ofHeld = { anonymous: 401, owner: 422, moderator: 422, admin: 422 }

const namesIn = (answer: Answer) => Object.keys((answer.body as { errors: object }).errors)
const names = (field: string) => (answer: Answer, persona: Persona) => {
  if (answer.status === 422) expect(namesIn(answer)).toEqual([persona === 'anonymous' ? 'login' : field])
}
const isHeld = (answer: Answer) => {
  if (answer.status === 202) expect(answer.body).toEqual({ metadata: { moderated: true } })
}

interface Writing {
  readonly operation: string
  readonly field: string
  readonly path: (world: World) => Promise<string>
}

const writing = ({ operation, field, path }: Writing): Row[] => {
  const request = (words: string) => async (world: World) =>
    ['POST', await path(world), { [field]: `${words} ${counted()}` }] as const
  return [
    { operation, what: 'one that is in order', request: request('What I say'), all: 201, but: nobodyByFault, check: names(field) },
    {
      operation,
      what: 'one in parts',
      request: async (world) => ['POST', await path(world), form({ [field]: `In parts ${counted()}` })],
      all: 201,
      but: nobodyByFault,
    },
    { operation, what: 'one that is held', request: request('asshole'), all: 202, but: nobodyByFault, check: isHeld },
    {
      operation,
      what: 'one without words',
      request: async (world) => ['POST', await path(world), { [field]: ' ' }],
      all: 422,
      check: names(field),
    },
  ]
}

const pathOfQuestions = async (world: World) => api(`/${(await givenCity(world)).url_name}/questions`)
const pathOfAnswers = async (world: World) => api(`/questions/${await givenQuestion(world)}/answers`)

const acting = (operation: string, method: 'PUT' | 'POST' | 'DELETE', step: string): Row[] => [
  {
    operation,
    what: 'of one that is unknown',
    request: () => [method, api(`/answers/${UNKNOWN_ID}/${step}`)],
    all: 404,
    but: onlyMembers,
  },
  {
    operation,
    what: 'of one that is held, which its author and moderators read',
    request: async (world) => [method, api(`/answers/${await givenAnswer(world, 'held')}/${step}`)],
    all: 404,
    but: ofHeld,
  },
]
const whoAccept = (all: number) => ({ anonymous: 401, employee: all, elsewhere: all, moderator: all, admin: all, owner: all })

export const questionRows: readonly Row[] = [
  ...writing({ operation: 'createQuestion', field: 'question', path: pathOfQuestions }),
  {
    operation: 'createQuestion',
    what: 'one in a place that there is not',
    request: () => ['POST', api('/nowhere/questions'), { question: 'Who?' }],
    all: 404,
    but: nobodyByFault,
  },
  {
    operation: 'getQuestion',
    what: 'one that everybody sees',
    request: async (world) => ['GET', api(`/questions/${await givenQuestion(world)}`)],
    all: 200,
  },
  {
    operation: 'getQuestion',
    what: 'a held one of the owner',
    request: async (world) => ['GET', api(`/questions/${await givenQuestion(world, 'held')}`)],
    all: 404,
    but: readers,
  },
  ...writing({ operation: 'createAnswer', field: 'answer', path: pathOfAnswers }),
  {
    operation: 'createAnswer',
    what: 'one to a held question of the owner',
    request: async (world) => ['POST', api(`/questions/${await givenQuestion(world, 'held')}/answers`), { answer: 'I.' }],
    all: 404,
    but: { ...ofHeld, anonymous: 422 },
    check: names('base'),
  },
  {
    operation: 'listAnswers',
    what: 'those of a question',
    request: async (world) => ['GET', await pathOfAnswers(world)],
    all: 200,
  },
  {
    operation: 'listAnswers',
    what: 'those of a held question of the owner',
    request: async (world) => ['GET', api(`/questions/${await givenQuestion(world, 'held')}/answers`)],
    all: 404,
    but: readers,
  },
  {
    operation: 'listAnswers',
    what: 'a page, which is ignored',
    request: async (world) => ['GET', `${await pathOfAnswers(world)}?page=x`],
    all: 200,
  },
  {
    operation: 'getAnswer',
    what: 'one that everybody sees',
    request: async (world) => ['GET', api(`/answers/${await givenAnswer(world)}`)],
    all: 200,
  },
  {
    operation: 'getAnswer',
    what: 'a held one of the owner',
    request: async (world) => ['GET', api(`/answers/${await givenAnswer(world, 'held')}`)],
    all: 404,
    but: readers,
  },
  {
    operation: 'acceptAnswer',
    what: 'one to a question of the owner',
    request: async (world) => ['PUT', api(`/answers/${await givenAnswer(world)}/accept`)],
    all: 403,
    but: whoAccept(200),
  },
  ...acting('acceptAnswer', 'PUT', 'accept'),
  {
    operation: 'unacceptAnswer',
    what: 'one to a question of the owner',
    request: async (world) => ['DELETE', api(`/answers/${await givenAnswer(world)}/accept`)],
    all: 403,
    but: whoAccept(204),
  },
  ...acting('unacceptAnswer', 'DELETE', 'accept'),
  {
    operation: 'voteForAnswer',
    what: 'a vote',
    request: async (world) => ['POST', api(`/answers/${await givenAnswer(world)}/vote`)],
    all: 201,
    but: onlyMembers,
  },
  ...acting('voteForAnswer', 'POST', 'vote'),
  {
    operation: 'withdrawAnswerVote',
    what: 'a vote of their own',
    request: async (world, persona) => {
      const answer = await givenAnswer(world)
      if (persona !== 'anonymous') await world.app.create.answerVote({ on: answer, by: world.people[persona] })
      return ['DELETE', api(`/answers/${answer}/vote`)]
    },
    all: 204,
    but: onlyMembers,
  },
  {
    operation: 'withdrawAnswerVote',
    what: 'a vote that there is not',
    request: async (world) => ['DELETE', api(`/answers/${await givenAnswer(world)}/vote`)],
    all: 422,
    but: onlyMembers,
  },
  ...acting('withdrawAnswerVote', 'DELETE', 'vote'),
]
