import Type, { type Static } from 'typebox'

import { Id, stringEnum } from '../database/columns.ts'
import { type Database, empty, type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { limitConcurrencyByKey } from '../http/request/concurrency-limit.ts'
import { problems } from '../errors/problems.ts'
import { issueReadableBy, actorRole } from './access.ts'
import { moderationStates } from './moderation-state.ts'
import { statuses } from './status.ts'
import { actorRoles } from './transitions.ts'
import { text } from '../errors/texts/text.ts'

const ActionableIssue = Type.Object({
  id: Id,
  status: stringEnum(statuses),
  rating: Type.Integer(),
  moderation_state: stringEnum(moderationStates),
  actor_role: stringEnum(actorRoles),
  /** The organisation reviews every contribution before it is published. */
  reviews_all: Type.Boolean(),
})
export type ActionableIssue = Static<typeof ActionableIssue>

/** @throws Problem 404 if the caller may not read the issue, 422 with `base`, the key of errors that concern no single field, if it is not public */
export const findActionableIssue = (db: Queryable, id: number, viewer: Viewer): Promise<ActionableIssue> =>
  find(db, id, viewer, empty)

/** Locks the row of `findActionableIssue` for the transaction. Call it before users are locked: a fixed order avoids deadlocks. */
export const lockIssue = (tx: Transaction, id: number, viewer: Viewer): Promise<ActionableIssue> =>
  find(tx, id, viewer, sql`FOR NO KEY UPDATE OF i`)

/** A transaction that waits for an issue occupies a connection, so most of the waiting ones wait without one. */
const limitChanges = limitConcurrencyByKey({ concurrency: 3, queueMax: 20, waitMaxMs: 2_000 })

/**
 * Returns the transactions for changes of one issue: this process runs three at a time, and twenty wait for up to two seconds.
 * @throws Problem 503 from `transaction` if more wait
 */
export function limitIssueChanges(db: Pick<Database, 'transaction'>, id: number): Pick<Database, 'transaction'> {
  return { transaction: (work) => limitChanges(String(id))(() => db.transaction(work)) }
}

async function find(db: Queryable, id: number, viewer: Viewer, lock: Sql): Promise<ActionableIssue> {
  const [issue] = await db.query(
    ActionableIssue,
    sql`
    SELECT i.id, i.status, i.rating, i.moderation_state, ${actorRole(viewer)} AS actor_role,
      coalesce((SELECT o.hold_everything FROM request_types rt JOIN organizations o ON o.id = rt.organization_id
        WHERE rt.id = i.request_type_id), FALSE) AS reviews_all
    FROM issues i WHERE i.id = ${id} AND ${issueReadableBy(viewer)} ${lock}`,
  )
  if (!issue) throw problems.notFound('the_issue')
  if (issue.moderation_state !== 'passed') throw problems.invalid({ base: NOT_PUBLIC })
  return issue
}

const NOT_PUBLIC = text('issue_not_public')
