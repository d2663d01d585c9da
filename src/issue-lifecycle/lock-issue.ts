import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import {
  Id,
  stringEnum,
  type Database,
  empty,
  type Queryable,
  type Sql,
  sql,
  type Transaction,
  prepared,
} from '../database/database.ts'
import { retryOnConflict } from '../database/with-prisma.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { limitConcurrencyByKey } from '../http/request/request-limit.ts'
import { problems } from '../errors/problems.ts'
import { issueReadableBy, actorRole } from './access.ts'
import { actorRoles } from './transitions.ts'
import { moderationStates, statuses } from './status.ts'

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

/** Locks the caller and the row of `findActionableIssue` for the transaction. Lock order everywhere: users by id, then the issue. */
export async function lockIssue(tx: Transaction, id: number, viewer: Viewer): Promise<ActionableIssue> {
  await lockUser(tx, viewer.id)
  return find(tx, id, viewer, sql`FOR NO KEY UPDATE OF i`)
}

export async function lockUser(tx: Transaction, id: number): Promise<void> {
  await tx.execute(sql`SELECT u.id FROM users u WHERE u.id = ${id} FOR NO KEY UPDATE`)
}

/** A transaction that waits for an issue occupies a connection, so most of the waiting ones wait without one. */
const limitWrites = limitConcurrencyByKey({ concurrency: 3, queueMax: 20, waitMaxMs: 2_000 })

export interface IssueWrites extends Pick<Database, 'transaction'> {
  /** Runs `work`, which changes data by one statement only, without a transaction, and again after a conflict. */
  readonly retryWithoutTransaction: <Result>(work: (db: Queryable) => Promise<Result>) => Promise<Result>
}

/**
 * Returns the transactions and statements for changes of one issue: this process runs three at a time, and twenty wait for up to two seconds.
 * @throws Problem 503 from both if more wait
 */
export function limitIssueWrites(db: Pick<Database, 'transaction' | 'query'>, id: number): IssueWrites {
  const limit = limitWrites(String(id))
  return {
    transaction: (work) => limit(() => db.transaction(work)),
    retryWithoutTransaction: (work) => limit(() => retryOnConflict(() => work(db))),
  }
}

async function find(db: Queryable, id: number, viewer: Viewer, lock: Sql): Promise<ActionableIssue> {
  const [issue] = await db.query(
    prepared(sql.type(ActionableIssue)`
    SELECT i.id, i.status, i.rating, i.moderation_state, ${actorRole(viewer)} AS actor_role,
      coalesce((SELECT o.hold_everything FROM request_types rt JOIN organizations o ON o.id = rt.organization_id
        WHERE rt.id = i.request_type_id), FALSE) AS reviews_all
    FROM issues i WHERE i.id = ${id} AND ${issueReadableBy(viewer)} ${lock}`),
  )
  if (!issue) throw problems.notFound('the_issue')
  if (issue.moderation_state !== 'passed') throw problems.invalid({ base: NOT_PUBLIC })
  return issue
}

export const NOT_PUBLIC = text('issue_not_public')
