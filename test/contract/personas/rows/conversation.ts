import { expect } from 'vitest'

import { UPLOAD_BYTES_MAX } from '../../../../src/http/request/upload.ts'
import type { Answer } from '../../../helpers/client.ts'
import { api, form, onlyMembers, picture, type Row, UNKNOWN_ID } from '../row.ts'
import { counted, type Persona, type World } from '../world.ts'

type Status = 'Open' | 'Acknowledged' | 'Closed' | 'Archived'

/** An issue of its own for each persona, since the first one who moves it would move it for all. */
const givenIssue = ({ app, type, people }: World, status: Status = 'Open') =>
  app.create.issue({ request_type: type, reporter: people.owner, status })
const words = () => ({ comment: `What I say ${counted()}` })
const tooLarge = Buffer.alloc(UPLOAD_BYTES_MAX + 1)

/** Only who works for the organisation; nobody is nobody. */
const onlyStaff = { anonymous: 401, employee: 201, admin: 201 }

const saysStatus = (status: Status) => (answer: Answer, persona: Persona) => {
  if (persona !== 'anonymous' && answer.status === 201) expect(answer.body).toMatchObject({ moderated: false, issue: { status } })
}
const names = (field: string) => (answer: Answer, persona: Persona) => {
  if (persona !== 'anonymous') expect(Object.keys(answer.body as object)).toEqual([field])
}
const isHeld = (answer: Answer, persona: Persona) => {
  if (persona !== 'anonymous') expect(answer.body).toEqual({ metadata: { moderated: true } })
}

const moves = [
  { operation: 'closeIssue', move: 'close', from: 'Open', to: 'Closed', never: 'Closed', who: onlyMembers, all: 201 },
  { operation: 'openIssue', move: 'open', from: 'Closed', to: 'Open', never: 'Open', who: onlyMembers, all: 201 },
  {
    operation: 'acknowledgeIssue',
    move: 'acknowledge',
    from: 'Open',
    to: 'Acknowledged',
    never: 'Closed',
    who: onlyStaff,
    all: 403,
  },
] as const

const writing = ({ operation, path, from = 'Open', to = 'Open', who, all }: Writing): Row[] => [
  {
    operation,
    what: `one about an issue that is ${from}`,
    request: async (world) => ['POST', api(`/issues/${await givenIssue(world, from)}${path}`), words()],
    all,
    but: who,
    check: saysStatus(to),
  },
  {
    operation,
    what: 'one with a picture',
    request: async (world) => [
      'POST',
      api(`/issues/${await givenIssue(world, from)}${path}`),
      form({ ...words(), image: picture }),
    ],
    all,
    but: who,
    check: ({ status, body }) => {
      if (status === 201)
        expect(body).toMatchObject({ media: { image_full: expect.stringContaining('/files/pictures/') as string } })
    },
  },
  {
    operation,
    what: 'one that is held',
    request: async (world) => ['POST', api(`/issues/${await givenIssue(world, from)}${path}`), { comment: `asshole ${counted()}` }],
    all: all === 201 ? 202 : all,
    but: all === 201 ? onlyMembers : { anonymous: 401, employee: 202, admin: 202 },
    check: (answer, persona) => {
      if (answer.status === 202) isHeld(answer, persona)
    },
  },
  {
    operation,
    what: 'one without words',
    request: async (world) => ['POST', api(`/issues/${await givenIssue(world, from)}${path}`), { comment: ' ' }],
    all: all === 201 ? 422 : all,
    but: all === 201 ? onlyMembers : { anonymous: 401, employee: 422, admin: 422 },
    check: (answer, persona) => {
      if (answer.status === 422) names('comment')(answer, persona)
    },
  },
  {
    operation,
    what: 'one about a held report, which its author and moderators read',
    request: (world) => ['POST', api(`/issues/${world.heldIssue}${path}`), words()],
    all: 404,
    but: { anonymous: 401, owner: 422, moderator: 422, admin: 422 },
  },
  {
    operation,
    what: 'one about an issue that nobody knows',
    request: () => ['POST', api(`/issues/${UNKNOWN_ID}${path}`), words()],
    all: 404,
    but: onlyMembers,
  },
]

interface Writing {
  readonly operation: string
  /** After the address of the issue. */
  readonly path: string
  readonly from?: Status
  readonly to?: Status
  readonly who: Readonly<Partial<Record<Persona, number>>>
  readonly all: number
}

export const conversationRows: readonly Row[] = [
  ...writing({ operation: 'createComment', path: '/comments', who: onlyMembers, all: 201 }),
  {
    operation: 'createComment',
    what: 'one with a picture over 20 MB',
    request: async (world) => ['POST', api(`/issues/${await givenIssue(world)}/comments`), form({ ...words(), image: tooLarge })],
    all: 413,
    but: onlyMembers,
  },
  ...moves.flatMap(({ operation, move, from, to, never, who, all }): Row[] => [
    ...writing({ operation, path: `/${move}`, from, to, who, all }),
    {
      operation,
      what: `one of an issue that is ${never} already`,
      request: async (world) => ['POST', api(`/issues/${await givenIssue(world, never)}/${move}`), words()],
      all: all === 201 ? 422 : all,
      but: all === 201 ? onlyMembers : { anonymous: 401, employee: 422, admin: 422 },
      check: (answer, persona) => {
        if (answer.status === 422) names('base')(answer, persona)
      },
    },
  ]),
  {
    operation: 'closeIssue',
    what: 'one of an issue that the organisation has acknowledged',
    request: async (world) => ['POST', api(`/issues/${await givenIssue(world, 'Acknowledged')}/close`), words()],
    all: 403,
    but: onlyStaff,
    check: saysStatus('Closed'),
  },
]
