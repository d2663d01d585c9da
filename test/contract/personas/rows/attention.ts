import { expect } from 'vitest'

import type { ApiResponse } from '../../../helpers/client.ts'
import { api, anonymous401, type Row, UNKNOWN_ID } from '../row.ts'
import { nextNumber, type Persona, type PersonaRows } from '../persona-rows.ts'

/** Readers of a report that is pending review may not act on it; others get 404. */
const pendingStatuses = { anonymous: 401, owner: 422, moderator: 422, admin: 422 }
const names = (field: string) => (answer: ApiResponse, persona: Persona) => {
  if (persona !== 'anonymous') expect(Object.keys(answer.body as object)).toEqual([field])
}
const namesBase = (answer: ApiResponse, persona: Persona) => {
  if (answer.status === 422) names('base')(answer, persona)
}
const is = (body: object) => (answer: ApiResponse, persona: Persona) => {
  if (persona !== 'anonymous') expect(answer.body).toEqual(body)
}

const relating = ({ add, remove, noun, answer, again }: Relating): Row[] => [
  {
    operation: add,
    what: `a ${noun}`,
    request: ({ anonymousIssue }) => ['POST', api(`/issues/${anonymousIssue}/${noun}`)],
    expected: 201,
    exceptFor: anonymous401,
    check: is(answer),
  },
  {
    operation: add,
    what: `a second ${noun}`,
    request: async ({ anonymousIssue, app, people }, persona) => {
      if (persona !== 'anonymous') await app.create[noun]({ on: anonymousIssue, by: people[persona] })
      return ['POST', api(`/issues/${anonymousIssue}/${noun}`)]
    },
    expected: again,
    exceptFor: anonymous401,
    check: again === 201 ? is(answer) : namesBase,
  },
  {
    operation: remove,
    what: `the caller’s own ${noun}`,
    request: async ({ anonymousIssue, app, people }, persona) => {
      if (persona !== 'anonymous') await app.create[noun]({ on: anonymousIssue, by: people[persona] })
      return ['DELETE', api(`/issues/${anonymousIssue}/${noun}`)]
    },
    expected: 204,
    exceptFor: anonymous401,
  },
  {
    operation: remove,
    what: `a missing ${noun}`,
    request: ({ anonymousIssue }) => ['DELETE', api(`/issues/${anonymousIssue}/${noun}`)],
    expected: 422,
    exceptFor: anonymous401,
    check: namesBase,
  },
  ...[add, remove].flatMap((operation): Row[] => [
    {
      operation,
      what: 'an action on a report pending review, which its author and moderators see',
      request: ({ pendingIssue }) => [operation === add ? 'POST' : 'DELETE', api(`/issues/${pendingIssue}/${noun}`)],
      expected: 404,
      exceptFor: pendingStatuses,
      check: namesBase,
    },
    {
      operation,
      what: 'an action on an unknown issue',
      request: () => [operation === add ? 'POST' : 'DELETE', api(`/issues/${UNKNOWN_ID}/${noun}`)],
      expected: 404,
      exceptFor: anonymous401,
    },
  ]),
]

interface Relating {
  readonly add: string
  readonly remove: string
  readonly noun: 'vote' | 'follow'
  readonly answer: object
  readonly again: 201 | 422
}

const message = () => ({ message: `This is an advertisement ${nextNumber()}.` })
const by = ({ people }: PersonaRows) => people.owner

const flagging = (
  operation: string,
  createPath: (world: PersonaRows, of: 'owner' | 'anonymous') => Promise<string>,
  pendingRow: Row,
): Row[] => [
  {
    operation,
    what: 'content of another user',
    request: async (world) => ['POST', api(await createPath(world, 'anonymous')), message()],
    expected: 201,
    exceptFor: anonymous401,
    check: is({ flagged: 1 }),
  },
  {
    operation,
    what: 'content of the owner',
    request: async (world) => ['POST', api(await createPath(world, 'owner')), message()],
    expected: 201,
    exceptFor: { ...anonymous401, owner: 422 },
    check: namesBase,
  },
  {
    operation,
    what: 'content, with a blank message',
    request: async (world) => ['POST', api(await createPath(world, 'anonymous')), { message: ' ' }],
    expected: 422,
    exceptFor: anonymous401,
    check: names('message'),
  },
  {
    operation,
    what: 'unknown content',
    request: () => ['POST', api(`/${operation === 'flagIssue' ? 'issues' : 'comments'}/${UNKNOWN_ID}/flag`), message()],
    expected: 404,
    exceptFor: anonymous401,
  },
  pendingRow,
]

const issueBy = async (world: PersonaRows, of: 'owner' | 'anonymous') =>
  `/issues/${await world.app.create.issue(of === 'owner' ? { reporter: by(world), anonymous: true } : {})}/flag`
const commentBy = async (world: PersonaRows, of: 'owner' | 'anonymous') =>
  `/comments/${await world.app.create.comment({ on: world.anonymousIssue, ...(of === 'owner' ? { by: by(world) } : {}) })}/flag`

/** Personas that act for an issue of the organisation of `employee`. */
const onlyStaff = { anonymous: 401, employee: 200, admin: 200 }
const employeeOf = ({ people }: PersonaRows) => ({ assignee_id: people.employee.id })

const ANY_VERSION = { 'if-match': '*' }

const assigning: readonly Row[] = [
  {
    operation: 'assignIssue',
    what: 'an issue of the organisation, to its employee',
    request: (world) => ['PUT', api(`/issues/${world.anonymousIssue}/assignee`), employeeOf(world), ANY_VERSION],
    expected: 403,
    exceptFor: onlyStaff,
    check: ({ status, body }, persona, { people }) => {
      if (status !== 200) return
      const current_user_relationship = { assignee: persona === 'employee', following: false, reporter: false, voted: false }
      expect(body).toMatchObject({ assignee: { id: people.employee.id }, current_user_relationship })
    },
  },
  {
    operation: 'assignIssue',
    what: 'an issue of the organisation, to no assignee',
    request: (world) => ['PUT', api(`/issues/${world.anonymousIssue}/assignee`), { assignee_id: null }, ANY_VERSION],
    expected: 403,
    exceptFor: onlyStaff,
  },
  {
    operation: 'assignIssue',
    what: 'a community issue, which belongs to every organisation of the area',
    request: async (world) => ['PUT', api(`/issues/${await world.app.create.issue()}/assignee`), employeeOf(world), ANY_VERSION],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 200, elsewhere: 200, admin: 200 },
  },
  {
    operation: 'assignIssue',
    what: 'an issue of the organisation, to an employee of another one',
    request: (world) => [
      'PUT',
      api(`/issues/${world.anonymousIssue}/assignee`),
      { assignee_id: world.people.elsewhere.id },
      ANY_VERSION,
    ],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 422, admin: 422 },
    check: (answer, persona) => {
      if (answer.status === 422) names('assignee_id')(answer, persona)
    },
  },
  {
    operation: 'assignIssue',
    what: 'an issue, to an invalid id',
    request: (world) => ['PUT', api(`/issues/${world.anonymousIssue}/assignee`), { assignee_id: 'unknown' }, ANY_VERSION],
    expected: 422,
    exceptFor: anonymous401,
    check: names('assignee_id'),
  },
  {
    operation: 'assignIssue',
    what: 'a report pending review, which its author and moderators see',
    request: (world) => ['PUT', api(`/issues/${world.pendingIssue}/assignee`), employeeOf(world), ANY_VERSION],
    expected: 404,
    exceptFor: { ...pendingStatuses, owner: 403, moderator: 403 },
  },
  {
    operation: 'assignIssue',
    what: 'an issue without a version',
    request: (world) => ['PUT', api(`/issues/${world.anonymousIssue}/assignee`), employeeOf(world)],
    expected: 428,
    exceptFor: anonymous401,
  },
  {
    operation: 'assignIssue',
    what: 'an issue of an old version',
    request: (world) => ['PUT', api(`/issues/${world.anonymousIssue}/assignee`), employeeOf(world), { 'if-match': '"99"' }],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 412, admin: 412 },
  },
]

export const attentionRows: readonly Row[] = [
  ...relating({ add: 'voteForIssue', remove: 'withdrawVote', noun: 'vote', answer: { vote: 1 }, again: 201 }),
  ...relating({ add: 'followIssue', remove: 'unfollowIssue', noun: 'follow', answer: { follow: 1 }, again: 422 }),
  ...flagging('flagIssue', issueBy, {
    operation: 'flagIssue',
    what: 'a report pending review, which its author and moderators see',
    request: ({ pendingIssue }) => ['POST', api(`/issues/${pendingIssue}/flag`), message()],
    expected: 404,
    exceptFor: pendingStatuses,
    check: namesBase,
  }),
  ...flagging('flagComment', commentBy, {
    operation: 'flagComment',
    what: 'a comment of the owner pending review, which the owner and moderators see',
    request: async ({ app, people }) => {
      const comment = await app.create.comment({ on: await app.create.issue(), by: people.owner, moderation_state: 'held' })
      return ['POST', api(`/comments/${comment}/flag`), message()]
    },
    expected: 404,
    exceptFor: pendingStatuses,
    check: namesBase,
  }),
  ...assigning,
]
