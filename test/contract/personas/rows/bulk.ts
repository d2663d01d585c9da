import { expect } from 'vitest'

import type { BulkRun } from '../../../../src/staff/bulk/schema.ts'
import { nextNumber, type Persona, type PersonaRows } from '../persona-rows.ts'
import { anonymous401, api, type Row, UNKNOWN_ID } from '../row.ts'

/** A run of `employee` in the given state. */
async function createRun({ app, people, anonymousIssue }: PersonaRows, state: 'preview' | 'done', hash = 'hash'): Promise<number> {
  const undo_until = state === 'done' ? new Date(Date.now() + 600_000) : null
  const data = { actor_id: people.employee.id, change: { priority: 2 }, preview_hash: hash, mails: 0, state, undo_until }
  const { id } = await app.db.prisma.bulkRun.create({ data })
  await app.db.prisma.bulkRunIssue.create({ data: { run_id: id, issue_id: anonymousIssue, state: 'refused', why: 'No.' } })
  return id
}

const own = (status: number) => ({ anonymous: 401, employee: status, admin: status })

export const bulkRows: readonly Row[] = [
  {
    operation: 'previewBulkRun',
    what: 'of an issue of the organisation',
    request: ({ anonymousIssue }) => [
      'POST',
      api('/bulk'),
      { ids: [anonymousIssue], change: { priority: nextNumber() % 2 === 0 ? 2 : 3 } },
    ],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 201, elsewhere: 201, admin: 201 },
    check: ({ status, body }, persona: Persona) => {
      if (status === 201) expect((body as BulkRun).count).toBe(persona === 'elsewhere' ? 0 : 1)
    },
  },
  {
    operation: 'previewBulkRun',
    what: 'of an unknown issue',
    request: () => ['POST', api('/bulk'), { ids: [UNKNOWN_ID], change: { priority: 2 } }],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 422, elsewhere: 422, admin: 422 },
  },
  {
    operation: 'previewBulkRun',
    what: 'of no issues',
    request: () => ['POST', api('/bulk'), { ids: [], change: { priority: 2 } }],
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'getBulkRun',
    what: 'of an employee',
    request: async (world) => ['GET', api(`/bulk/${await createRun(world, 'preview')}`)],
    expected: 404,
    exceptFor: own(200),
  },
  {
    operation: 'startBulkRun',
    what: 'of an employee',
    request: async (world) => {
      const hash = `hash ${nextNumber()}`
      return ['POST', api(`/bulk/${await createRun(world, 'preview', hash)}/run`), { hash }]
    },
    expected: 404,
    exceptFor: own(202),
  },
  {
    operation: 'startBulkRun',
    what: 'with another hash',
    request: async (world) => ['POST', api(`/bulk/${await createRun(world, 'preview')}/run`), { hash: 'x' }],
    expected: 404,
    exceptFor: own(409),
  },
  {
    operation: 'startBulkRun',
    what: 'without a hash',
    request: () => ['POST', api(`/bulk/${UNKNOWN_ID}/run`), {}],
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'undoBulkRun',
    what: 'of an employee',
    request: async (world) => ['POST', api(`/bulk/${await createRun(world, 'done')}/undo`)],
    expected: 404,
    exceptFor: own(202),
  },
  {
    operation: 'undoBulkRun',
    what: 'that has not begun',
    request: async (world) => ['POST', api(`/bulk/${await createRun(world, 'preview')}/undo`)],
    expected: 404,
    exceptFor: own(409),
  },
]
