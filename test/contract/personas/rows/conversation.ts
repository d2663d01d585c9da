import { expect } from 'vitest'

import { UPLOAD_BYTES_MAX } from '../../../../src/http/request/upload.ts'
import type { ApiResponse } from '../../../helpers/client.ts'
import { api, form, anonymous401, image, type Row, UNKNOWN_ID } from '../row.ts'
import { nextNumber, type Persona, type PersonaRows } from '../persona-rows.ts'

type Status = 'Open' | 'Acknowledged' | 'Closed' | 'Archived'

/** Creates an issue for one persona, since a transition changes it for all. */
const createIssue = ({ app, type, people }: PersonaRows, status: Status = 'Open') =>
  app.create.issue({ request_type: type, reporter: people.owner, status })
const words = () => ({ comment: `What I say ${nextNumber()}` })
const tooLarge = Buffer.alloc(UPLOAD_BYTES_MAX + 1)

const onlyStaff = { anonymous: 401, employee: 201, admin: 201 }

const saysStatus = (status: Status) => (answer: ApiResponse, persona: Persona) => {
  if (persona !== 'anonymous' && answer.status === 201) expect(answer.body).toMatchObject({ moderated: false, issue: { status } })
}
const names = (field: string) => (answer: ApiResponse, persona: Persona) => {
  if (persona !== 'anonymous') expect(Object.keys(answer.body as object)).toEqual([field])
}
const isHeld = (answer: ApiResponse, persona: Persona) => {
  if (persona !== 'anonymous') expect(answer.body).toEqual({ metadata: { moderated: true } })
}

const moves = [
  { operation: 'closeIssue', move: 'close', from: 'Open', to: 'Closed', never: 'Closed', who: anonymous401, expected: 201 },
  { operation: 'openIssue', move: 'open', from: 'Closed', to: 'Open', never: 'Open', who: anonymous401, expected: 201 },
  {
    operation: 'acknowledgeIssue',
    move: 'acknowledge',
    from: 'Open',
    to: 'Acknowledged',
    never: 'Closed',
    who: onlyStaff,
    expected: 403,
  },
] as const

const writing = ({ operation, path, from = 'Open', to = 'Open', who, expected }: Writing): Row[] => [
  {
    operation,
    what: `a request about an issue that is ${from}`,
    request: async (world) => ['POST', api(`/issues/${await createIssue(world, from)}${path}`), words()],
    expected,
    exceptFor: who,
    check: saysStatus(to),
  },
  {
    operation,
    what: 'a request with a picture',
    request: async (world) => ['POST', api(`/issues/${await createIssue(world, from)}${path}`), form({ ...words(), image })],
    expected,
    exceptFor: who,
    check: ({ status, body }) => {
      if (status === 201)
        expect(body).toMatchObject({ media: { image_full: expect.stringContaining('/files/pictures/') as string } })
    },
  },
  {
    operation,
    what: 'a request whose text is pending review',
    request: async (world) => [
      'POST',
      api(`/issues/${await createIssue(world, from)}${path}`),
      { comment: `asshole ${nextNumber()}` },
    ],
    expected: expected === 201 ? 202 : expected,
    exceptFor: expected === 201 ? anonymous401 : { anonymous: 401, employee: 202, admin: 202 },
    check: (answer, persona) => {
      if (answer.status === 202) isHeld(answer, persona)
    },
  },
  {
    operation,
    what: 'a request with a blank text',
    request: async (world) => ['POST', api(`/issues/${await createIssue(world, from)}${path}`), { comment: ' ' }],
    expected: expected === 201 ? 422 : expected,
    exceptFor: expected === 201 ? anonymous401 : { anonymous: 401, employee: 422, admin: 422 },
    check: (answer, persona) => {
      if (answer.status === 422) names('comment')(answer, persona)
    },
  },
  {
    operation,
    what: 'a request about a report pending review, which its author and moderators see',
    request: (world) => ['POST', api(`/issues/${world.pendingIssue}${path}`), words()],
    expected: 404,
    exceptFor: { anonymous: 401, owner: 422, moderator: 422, admin: 422 },
  },
  {
    operation,
    what: 'a request about an unknown issue',
    request: () => ['POST', api(`/issues/${UNKNOWN_ID}${path}`), words()],
    expected: 404,
    exceptFor: anonymous401,
  },
]

interface Writing {
  readonly operation: string
  /** The path after that of the issue. */
  readonly path: string
  readonly from?: Status
  readonly to?: Status
  readonly who: Readonly<Partial<Record<Persona, number>>>
  readonly expected: number
}

export const conversationRows: readonly Row[] = [
  ...writing({ operation: 'createComment', path: '/comments', who: anonymous401, expected: 201 }),
  {
    operation: 'createComment',
    what: 'a comment with a picture over 20 MB',
    request: async (world) => ['POST', api(`/issues/${await createIssue(world)}/comments`), form({ ...words(), image: tooLarge })],
    expected: 413,
    exceptFor: anonymous401,
  },
  ...moves.flatMap(({ operation, move, from, to, never, who, expected }): Row[] => [
    ...writing({ operation, path: `/${move}`, from, to, who, expected }),
    {
      operation,
      what: `an issue that is ${never} already`,
      request: async (world) => ['POST', api(`/issues/${await createIssue(world, never)}/${move}`), words()],
      expected: 422,
      exceptFor: anonymous401,
      check: (answer, persona) => {
        if (answer.status === 422) names('base')(answer, persona)
      },
    },
  ]),
  {
    operation: 'closeIssue',
    what: 'an issue that the organisation has acknowledged',
    request: async (world) => ['POST', api(`/issues/${await createIssue(world, 'Acknowledged')}/close`), words()],
    expected: 403,
    exceptFor: onlyStaff,
    check: saysStatus('Closed'),
  },
]
