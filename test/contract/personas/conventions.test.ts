import { beforeEach, describe, expect, it } from 'vitest'

import { useApp } from '../../helpers/use-app.ts'
import type { Reference } from '../openapi-responses.ts'
import { rowsForConvention, rowsWithKey, conventions, expectedStatus, listOperations, sendAs, sendWithKey } from './conventions.ts'
import { createPersonaRows, type Persona, personas, type PersonaRows } from './persona-rows.ts'

/* The rules that all operations share, for every operation and persona. They do not depend on the engine, so they run on servers only. */

const app = useApp()

let world: PersonaRows

beforeEach(async () => {
  world = await createPersonaRows(app)
})

const operations = () => listOperations(app.fastify.swagger() as unknown as Reference)

describe('invalid requests to all operations', () => {
  it.each(conventions)('return $status to every caller: $what', async (convention) => {
    const got: Record<string, number[]> = {}
    const expected: typeof got = {}
    // These errors precede credentials and permissions, so two callers stand for all.
    const callers: readonly Persona[] = convention.comesFirst ? ['anonymous', 'admin'] : personas
    for (const row of rowsForConvention(convention, operations())) {
      const statuses: number[] = []
      for (const persona of callers) {
        const [method, path, body, headers] = await row.request(world, persona)
        const request = [method, path, convention.body ?? body, { ...headers, ...convention.headers }] as const
        statuses.push((await sendAs(world, persona, request)).status)
      }
      got[row.operation] = statuses
      expected[row.operation] = callers.map((persona) => expectedStatus(row, convention, persona))
    }

    expect(got).toEqual(expected)
  })
})

/** Operations whose responses are stored by Idempotency-Key. */
const keyed = [
  ...['createIssue', 'createComment', 'closeIssue', 'openIssue', 'acknowledgeIssue'],
  ...[
    'addNote',
    'inviteMember',
    'acceptInvitation',
    'createCalendar',
    'createTarget',
    'createRequestType',
    'createTemplate',
    'createView',
    'acceptTransfer',
    'offerTransfer',
    'refuseTransfer',
    'withdrawTransfer',
    'mergeIssue',
    'unmergeIssue',
    'previewAnswer',
    'previewBulkRun',
    'startBulkRun',
    'undoBulkRun',
  ],
  ...['createQuestion', 'createAnswer', 'voteForAnswer'],
  ...['createUser', 'createEmail', 'requestEmailConfirmation', 'exportProfile'],
  ...['voteForIssue', 'followIssue', 'flagIssue', 'flagComment', 'flagQuestion', 'flagAnswer', 'flagUser'],
  ...['approveModerationItem', 'rejectModerationItem'],
  ...['createWatchArea', 'renewWatcherToken'],
]

describe('Idempotency-Key', () => {
  it.each(keyed)('replays the response of %s to each persona, and refuses other content and a concurrent request', async (name) => {
    const row = rowsWithKey(operations()).find(({ operation }) => operation === name)
    if (!row) throw new Error(`${name} documents no 409`)
    for (const persona of personas) {
      const { first, again, other, twin } = await sendWithKey(world, persona, row)
      const own = row.exceptFor?.[persona] ?? row.expected

      const statuses = [first, again, other, twin].map(({ status }) => status)
      // An anonymous caller gets 401 or 422 before the key is read.
      const isShutOut = persona === 'anonymous' && own >= 400
      expect(statuses, persona).toEqual(isShutOut ? [own, own, own, own] : [own, own, 422, 409])
      if (isShutOut) continue
      expect([again.text, again.headers['location']]).toEqual([first.text, first.headers['location']])
      expect([first, again].map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true'])
      expect(other.text).toContain('was used for a request with other content')
    }
  })

  it('is tested for every operation that documents 409', () => {
    expect(
      rowsWithKey(operations())
        .map(({ operation }) => operation)
        .toSorted(),
    ).toEqual(keyed.toSorted())
  })
})
