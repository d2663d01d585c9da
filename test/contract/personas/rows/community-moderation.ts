import { expect } from 'vitest'

import { addModerationItem } from '../../../../src/content-policy/moderation-item-queries.ts'
import type { ApiResponse } from '../../../helpers/client.ts'
import type { TestUser } from '../../../helpers/factories.ts'
import { api, anonymous401, type Row, UNKNOWN_ID } from '../row.ts'
import { nextNumber, type Persona, type PersonaRows } from '../persona-rows.ts'

type Kind = 'question' | 'answer'
type State = 'passed' | 'held' | 'rejected'

const moderators = new Set<Persona>(['moderator', 'admin'])
/** Only moderators and admins have access; others get the same status whether the item exists or not. */
const onlyModerators = (status: number) => ({ anonymous: 401, moderator: status, admin: status })
/** Readers of content that is pending review may not act on it; others get 404. */
const pendingStatuses = { anonymous: 401, owner: 422, moderator: 422, admin: 422 }
const names = (field: string) => (answer: ApiResponse, persona: Persona) => {
  if (persona !== 'anonymous' && answer.status === 422) expect(Object.keys(answer.body as object)).toEqual([field])
}
const flagged = (answer: ApiResponse, persona: Persona) => {
  if (persona !== 'anonymous') expect(answer.body).toEqual({ flagged: 1 })
}

const message = () => ({ message: `This is an advertisement ${nextNumber()}.` })

async function createContent(
  { app }: PersonaRows,
  kind: Kind,
  by: TestUser | undefined,
  moderation_state: State = 'passed',
  text = `Why ${nextNumber()}?`,
) {
  const of = (await app.create.place()).id
  const author = by ? { by } : {}
  if (kind === 'question') return app.create.question({ place: of, ...author, question: text, moderation_state })
  return app.create.answer({ on: await app.create.question({ place: of }), ...author, answer: text, moderation_state })
}

const flagging = (kind: Kind): Row[] => {
  const operation = kind === 'question' ? 'flagQuestion' : 'flagAnswer'
  const path = (id: number) => api(`/${kind}s/${id}/flag`)
  return [
    {
      operation,
      what: 'content of another user',
      request: async (world) => ['POST', path(await createContent(world, kind, undefined)), message()],
      expected: 201,
      exceptFor: anonymous401,
      check: flagged,
    },
    {
      operation,
      what: 'content of the owner',
      request: async (world) => ['POST', path(await createContent(world, kind, world.people.owner)), message()],
      expected: 201,
      exceptFor: { ...anonymous401, owner: 422 },
      check: names('base'),
    },
    {
      operation,
      what: 'content, with a blank message',
      request: async (world) => ['POST', path(await createContent(world, kind, undefined)), { message: ' ' }],
      expected: 422,
      exceptFor: anonymous401,
      check: names('message'),
    },
    {
      operation,
      what: 'unknown content',
      request: () => ['POST', path(UNKNOWN_ID), message()],
      expected: 404,
      exceptFor: anonymous401,
    },
    {
      operation,
      what: 'content of the owner pending review, which the owner and moderators see',
      request: async (world) => ['POST', path(await createContent(world, kind, world.people.owner, 'held')), message()],
      expected: 404,
      exceptFor: pendingStatuses,
      check: names('base'),
    },
  ]
}

async function createItem(world: PersonaRows, kind: Kind, of: 'owner' | 'moderator' = 'owner'): Promise<number> {
  const text = `Why ${nextNumber()}?`
  const subject_id = await createContent(world, kind, world.people[of], 'held', text)
  const item = { subject_type: kind, subject_id, reasons: ['words'], original: { [kind]: text }, created_at: new Date() } as const
  return (await world.app.db.transaction((tx) => addModerationItem(tx, item))) ?? 0
}

const isIn = (state: string) => (answer: ApiResponse, persona: Persona, world: PersonaRows) => {
  if (answer.status !== 200 || !moderators.has(persona)) return
  expect(answer.body).toMatchObject({ state, decided_by: { id: world.people[persona as 'admin'].id }, approve_url: null })
}

const deciding = (kind: Kind): Row[] => [
  {
    operation: 'listModerationItems',
    what: `items of the type ${kind}`,
    request: async (world) => {
      await createItem(world, kind)
      return ['GET', api(`/moderation?subject_type=${kind}`)]
    },
    expected: 403,
    exceptFor: onlyModerators(200),
    check: ({ body }, persona) => {
      if (!moderators.has(persona)) return
      const types = (body as { items: { subject_type: string }[] }).items.map(({ subject_type }) => subject_type)
      expect(new Set(types)).toEqual(new Set([kind]))
    },
  },
  {
    operation: 'getModerationItem',
    what: `a pending ${kind} of the owner`,
    request: async (world) => ['GET', api(`/moderation/${await createItem(world, kind)}`)],
    expected: 403,
    exceptFor: { ...onlyModerators(200), owner: 200 },
    check: ({ body }, persona) => {
      if (persona === 'owner') expect(body).toMatchObject({ reasons: null, approve_url: null })
      if (moderators.has(persona)) expect(body).toMatchObject({ subject_type: kind, reasons: ['words'] })
    },
  },
  {
    operation: 'approveModerationItem',
    what: `a pending ${kind}, with a new text`,
    request: async (world) => [
      'POST',
      api(`/moderation/${await createItem(world, kind)}/approve`),
      { [kind]: `Where ${nextNumber()}?` },
    ],
    expected: 403,
    exceptFor: onlyModerators(200),
    check: isIn('approved'),
  },
  {
    operation: 'approveModerationItem',
    what: `a pending ${kind}, with a field of another type`,
    request: async (world) => ['POST', api(`/moderation/${await createItem(world, kind)}/approve`), { comment: 'x' }],
    expected: 403,
    exceptFor: onlyModerators(422),
    check: (answer, persona) => {
      if (moderators.has(persona)) names('comment')(answer, persona)
    },
  },
  {
    operation: 'rejectModerationItem',
    what: `a pending ${kind} of the moderator`,
    request: async (world) => ['POST', api(`/moderation/${await createItem(world, kind, 'moderator')}/reject`)],
    expected: 403,
    exceptFor: { anonymous: 401, admin: 200 },
    check: isIn('rejected'),
  },
]

const flaggingUsers: Row[] = [
  {
    operation: 'flagUser',
    what: 'another user',
    request: async ({ app }) => ['POST', api(`/users/${(await app.create.user()).id}/flag`), message()],
    expected: 201,
    exceptFor: anonymous401,
    check: flagged,
  },
  {
    operation: 'flagUser',
    what: 'the owner',
    request: ({ people }) => ['POST', api(`/users/${people.owner.id}/flag`), message()],
    expected: 201,
    exceptFor: { ...anonymous401, owner: 422 },
    check: names('base'),
  },
  {
    operation: 'flagUser',
    what: 'an unknown user',
    request: () => ['POST', api(`/users/${UNKNOWN_ID}/flag`), message()],
    expected: 404,
    exceptFor: anonymous401,
  },
]

export const communityModerationRows: readonly Row[] = [
  ...flaggingUsers,
  ...flagging('question'),
  ...flagging('answer'),
  ...deciding('question'),
  ...deciding('answer'),
]
