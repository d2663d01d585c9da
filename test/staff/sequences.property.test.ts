import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { runBulk } from '../../jobs/handlers/batch-jobs.ts'
import type { BulkRun } from '../../src/staff/bulk/schema.ts'
import { runs } from '../helpers/long.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

/* Random sequences of work on one issue, compared with a small model. The issue `other` stays open and takes duplicates. */

const app = useApp({ keepRows: true })

type Organization = 'Roads' | 'Parks'
const organizations = ['Roads', 'Parks'] as const
const otherThan = (one: Organization): Organization => (one === 'Roads' ? 'Parks' : 'Roads')
const byName = { Roads: { id: 0, type: 0 }, Parks: { id: 0, type: 0 } }
const clerks = {} as Record<Organization, TestUser>
let voter: TestUser

beforeAll(async () => {
  for (const name of organizations) {
    const id = await app.create.organization({ name })
    byName[name] = { id, type: await app.create.requestType({ organization: id }) }
    clerks[name] = await app.create.user({ memberOf: [{ organization: id }] })
  }
  voter = await app.create.user()
})

const steps = [
  ...['acknowledge', 'close', 'open', 'archive', 'assign', 'offer', 'accept', 'refuse', 'merge', 'unmerge'],
  ...['bulkPriority', 'bulkAcknowledge', 'bulkClose', 'undo'],
] as const
const bulkChanges = {
  bulkPriority: { priority: 3 },
  bulkAcknowledge: { transition: 'acknowledge', comment: 'We know.' },
  bulkClose: { transition: 'close', comment: 'Repaired.', outcome: 'fixed' },
}
type Step = (typeof steps)[number]

interface Model {
  readonly status: 'Open' | 'Acknowledged' | 'Closed' | 'Archived'
  readonly owner: Organization
  readonly isAssigned: boolean
  readonly isOffered: boolean
  /** The status before the merge, and whether nothing has changed it since. */
  readonly merged: { readonly from: Model['status']; readonly isUnchanged: boolean } | null
  readonly isUrgent: boolean
  /** The undo of the last bulk run restores this; it is null if the run is undone or has changed nothing. */
  readonly bulk: { readonly by: Organization; readonly restored: Partial<Model> } | null
}

const START: Model = {
  status: 'Open',
  owner: 'Roads',
  isAssigned: false,
  isOffered: false,
  merged: null,
  isUrgent: false,
  bulk: null,
}

/** Returns the model after a step that succeeds; undefined for one that is refused. An undo leaves an issue that has changed since. */
function apply(model: Model, step: Step): Model | undefined {
  const { status, owner, isUrgent, bulk } = model
  switch (step) {
    case 'bulkPriority':
      return { ...model, isUrgent: true, bulk: { by: owner, restored: { isUrgent } } }
    case 'bulkAcknowledge':
    case 'bulkClose': {
      const next = applyAlone(model, step === 'bulkClose' ? 'close' : 'acknowledge')
      return next && { ...next, bulk: { by: owner, restored: { status, isOffered: model.isOffered } } }
    }
    case 'undo':
      return bulk ? { ...model, ...bulk.restored, bulk: null } : undefined
    default: {
      const next = applyAlone(model, step)
      const isSame = step === 'archive' || (step === 'assign' && model.isAssigned)
      return next && (isSame || !bulk ? next : { ...next, bulk: { ...bulk, restored: {} } })
    }
  }
}

function applyAlone(model: Model, step: Exclude<Step, 'undo' | keyof typeof bulkChanges>): Model | undefined {
  const { status, owner, isOffered, merged } = model
  const isOpen = status === 'Open' || status === 'Acknowledged'
  const moved = { merged: merged && { ...merged, isUnchanged: false } }
  switch (step) {
    case 'acknowledge':
      return status === 'Open' ? { ...model, ...moved, status: 'Acknowledged' } : undefined
    case 'close':
      return isOpen ? { ...model, ...moved, status: 'Closed', isOffered: false } : undefined
    case 'open':
      return status === 'Closed' ? { ...model, ...moved, status: 'Open' } : undefined
    case 'archive':
      return status === 'Closed' ? { ...model, status: 'Archived' } : undefined
    case 'assign':
      return { ...model, isAssigned: true }
    case 'offer':
      return isOpen && !isOffered ? { ...model, isOffered: true } : undefined
    case 'accept':
      return isOffered ? { ...model, owner: otherThan(owner), isAssigned: false, isOffered: false } : undefined
    case 'refuse':
      return isOffered ? { ...model, isOffered: false } : undefined
    case 'merge':
      if (!isOpen || merged) return undefined
      return { ...model, status: 'Closed', isOffered: false, merged: { from: status, isUnchanged: true } }
    case 'unmerge':
      if (!merged) return undefined
      return { ...model, merged: null, ...(status === 'Closed' && merged.isUnchanged && { status: merged.from }) }
  }
}

const post = (user: TestUser, path: string, body: object = {}) =>
  app.as.user(user).send('POST', `/api/v2${path}`, { body, headers: { 'if-match': '*' } })

const work = () => runBulk({}, { db: app.db, clock: () => new Date() })

async function performBulk(id: number, clerk: TestUser, change: object): Promise<boolean> {
  const run = (await post(clerk, '/bulk', { ids: [id], change })).body as BulkRun
  if (run.count === 0) return false
  const { status } = await post(clerk, `/bulk/${run.id}/run`, { hash: run.hash })
  await work()
  return status === 202
}

async function performUndo(issue_id: number): Promise<boolean> {
  const where = { state: { not: 'preview' }, issues: { some: { issue_id } } }
  const run = await app.db.prisma.bulkRun.findFirst({ where, orderBy: { id: 'desc' } })
  const clerk = Object.values(clerks).find((one) => one.id === run?.actor_id)
  if (run?.state !== 'done' || !clerk) return false
  const { status } = await post(clerk, `/bulk/${run.id}/undo`)
  await work()
  return status === 202
}

/** Returns whether the step succeeded. */
async function perform(id: number, other: number, { owner }: Model, step: Step): Promise<boolean> {
  const { prisma } = app.db
  const clerk = clerks[owner]
  const receiver = otherThan(owner)
  const offer = () => prisma.issueTransfer.findFirst({ where: { issue_id: id }, orderBy: { id: 'desc' } })
  switch (step) {
    case 'archive':
      return (await prisma.issue.updateMany({ where: { id, status: 'Closed' }, data: { status: 'Archived' } })).count > 0
    case 'assign': {
      const options = { body: { assignee_id: clerk.id }, headers: { 'if-match': '*' } }
      return (await app.as.user(clerk).send('PUT', `/api/v2/issues/${id}/assignee`, options)).status === 200
    }
    case 'offer':
      return (
        (await post(clerk, `/issues/${id}/transfer`, { organization_id: byName[receiver].id, reason: 'Not ours.' })).status === 201
      )
    case 'accept':
    case 'refuse': {
      const transfer = (await offer())?.id ?? 0
      const body = { request_type_id: byName[receiver].type, refusal: 'Not ours.' }
      return (await post(clerks[receiver], `/transfers/${transfer}/${step}`, body)).status === 200
    }
    case 'bulkPriority':
    case 'bulkAcknowledge':
    case 'bulkClose':
      return performBulk(id, clerk, bulkChanges[step])
    case 'undo':
      return performUndo(id)
    case 'merge':
    case 'unmerge':
      return (await post(clerk, `/issues/${id}/${step}`, { duplicate_of: other })).status === 200
    default:
      return (await post(clerk, `/issues/${id}/${step}`, { comment: `${step} ${Math.random()}` })).status === 201
  }
}

async function readModel(id: number, other: number) {
  const { prisma } = app.db
  const issue = await prisma.issue.findUniqueOrThrow({ where: { id }, include: { request_type: true } })
  const votes = (issue_id: number) => prisma.vote.count({ where: { issue_id } })
  const { vote_count } = await prisma.issue.findUniqueOrThrow({ where: { id: other } })
  return {
    ...{ status: issue.status, owner: issue.request_type?.organization_id, isAssigned: issue.assignee_id !== null },
    isUrgent: issue.priority === 3,
    votes: [issue.vote_count, vote_count],
    counted: [await votes(id), await votes(other)],
  }
}

describe('work on an issue', () => {
  it('follows the model in every sequence of steps', async () => {
    const sequences = fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const [id, other] = [await app.create.issue({ request_type: byName.Roads.type }), await app.create.issue()]
        await app.create.vote({ on: id, by: voter })
        let model = START

        for (const step of sequence) {
          const next = apply(model, step)
          expect([step, await perform(id, other, model, step)]).toEqual([step, next !== undefined])
          model = next ?? model
        }

        const votes = model.merged ? [0, 1] : [1, 0]
        const { status, owner, isAssigned, isUrgent } = model
        const expected = { status, owner: byName[owner].id, isAssigned, isUrgent, votes, counted: votes }
        expect(await readModel(id, other)).toEqual(expected)
      }),
      // An undo opens the offer again that the run has ended.
      { ...runs(100), examples: [[['offer', 'bulkClose', 'undo', 'refuse']]] },
    )
  }, 1_800_000)
})
