import { expect } from 'vitest'

import { sql } from '../../../../src/database/database.ts'
import { recordEvent } from '../../../../src/outbox/queries.ts'
import { type Row, UNKNOWN_ID } from '../row.ts'
import type { PersonaRows } from '../persona-rows.ts'

const onlyAdmin = { expected: 403, exceptFor: { anonymous: 401, admin: 200 } } as const
const exceptAnonymousAndAdmin = (status: number) => ({ expected: 403, exceptFor: { anonymous: 401, admin: status } }) as const

/** Creates a dead letter about the owner's account, a new one for each persona. */
async function createDeadLetter({ app, people }: PersonaRows): Promise<number> {
  const actor_id = people.owner.id
  const [pending] = await app.db.transaction(async (tx) => {
    await recordEvent(tx, { type: 'user.password_changed', subject_id: actor_id, actor_id })
    return tx.deliveries
  })
  const event_id = pending?.event_id ?? 0
  await app.db.execute(sql`UPDATE outbox_deliveries e SET dead_at = now() WHERE e.event_id = ${event_id} RETURNING e.event_id`)
  return event_id
}

export const opsRows: readonly Row[] = [
  {
    operation: 'getMetrics',
    what: 'the metrics',
    request: () => ['GET', '/metrics'],
    ...onlyAdmin,
    check: ({ text }, persona) => expect(text.includes('fixpoint_')).toBe(persona === 'admin'),
  },
  { operation: 'listDeadLetters', what: 'the dead letters', request: () => ['GET', '/ops/dead-letters'], ...onlyAdmin },
  {
    operation: 'listDeadLetters',
    what: 'an invalid page number',
    request: () => ['GET', '/ops/dead-letters?page=first'],
    ...exceptAnonymousAndAdmin(422),
  },
  {
    operation: 'retryDeadLetter',
    what: 'retry of a dead letter',
    request: async (world) => ['POST', `/ops/dead-letters/${await createDeadLetter(world)}/notify/retry`],
    ...onlyAdmin,
    refusedFirst: true,
  },
  {
    operation: 'retryDeadLetter',
    what: 'retry of an unknown delivery',
    request: () => ['POST', `/ops/dead-letters/${UNKNOWN_ID}/notify/retry`],
    ...exceptAnonymousAndAdmin(404),
  },
  {
    operation: 'getTrace',
    what: 'the trace of an event of the owner',
    request: async (world) => ['GET', `/ops/trace/${await createDeadLetter(world)}`],
    ...onlyAdmin,
  },
  {
    operation: 'getTrace',
    what: 'the trace of an unknown event',
    request: () => ['GET', `/ops/trace/${UNKNOWN_ID}`],
    ...exceptAnonymousAndAdmin(404),
  },
]
