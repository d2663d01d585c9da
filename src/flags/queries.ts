import Type, { type Static } from 'typebox'
import { answerReadableBy } from '../answers/queries.ts'
import { findIssueId } from '../comments/hidden-comments.ts'
import {
  Count,
  Id,
  IdRow,
  nullable,
  stringEnum,
  type PrismaHandle,
  type Queryable,
  type Sql,
  sql,
  type Transaction,
} from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { moderationStates } from '../issue-lifecycle/status.ts'
import { questionReadableBy } from '../questions/queries.ts'
import { text } from '../locales/texts.ts'
import { recordEvent } from '../outbox/queries.ts'
import { problems, orNotFound } from '../errors/problems.ts'
import { lockIssue, lockUser } from '../issue-lifecycle/lock-issue.ts'
import { addModerationItem } from '../content-policy/moderation-item-queries.ts'

const FLAGS_FOR_REVIEW = 3
/** Minimum age of an account at the time of its flag, in seconds. Flags from newer accounts never count, against mass registration. */
const ACCOUNT_AGE_S = 24 * 60 * 60

export const flaggedTypes = ['issue', 'comment', 'question', 'answer', 'user'] as const

export interface Subject {
  readonly type: (typeof flaggedTypes)[number]
  readonly id: number
}

const FlaggedText = Type.Object({
  author_id: nullable(Id),
  /** Null for anonymous reports, and for users, who are their own subject. */
  public_author_id: nullable(Id),
  /** An answer has the state of its question if the question is not public. */
  moderation_state: stringEnum(moderationStates),
  text: Type.Record(Type.String(), nullable(Type.String())),
})
export type FlaggedText = Static<typeof FlaggedText>

const texts: Readonly<Record<Subject['type'], (id: number) => Sql>> = {
  issue: (id) => sql`
    SELECT i.reporter_id AS author_id, CASE WHEN NOT i.anonymous THEN i.reporter_id END AS public_author_id, i.moderation_state,
      json_build_object('summary', i.summary, 'description', i.description, 'address', i.address) AS text
    FROM issues i WHERE i.id = ${id}`,
  comment: (id) => sql`
    SELECT c.commenter_id AS author_id, c.commenter_id AS public_author_id, c.moderation_state, json_build_object('comment', c.comment) AS text
    FROM comments c WHERE c.id = ${id}`,
  question: (id) => sql`
    SELECT q.asker_id AS author_id, q.asker_id AS public_author_id, q.moderation_state, json_build_object('question', q.question) AS text
    FROM questions q WHERE q.id = ${id}`,
  answer: (id) => sql`
    SELECT a.answerer_id AS author_id, a.answerer_id AS public_author_id, json_build_object('answer', a.answer) AS text,
      CASE WHEN q.moderation_state = 'passed' THEN a.moderation_state ELSE q.moderation_state END AS moderation_state
    FROM answers a JOIN questions q ON q.id = a.question_id WHERE a.id = ${id}`,
  // The avatar is flagged together with the name; both are always public.
  user: (id) => sql`
    SELECT u.id AS author_id, NULL::integer AS public_author_id, 'passed' AS moderation_state, json_build_object('name', u.name) AS text
    FROM users u WHERE u.id = ${id}`,
}

/** Returns the author and the text of a subject. Check the caller's rights first. */
export const findFlaggedText = (db: Queryable, { type, id }: Subject): Promise<FlaggedText | undefined> =>
  db.query(sql.first(FlaggedText)`${texts[type](id)}`)

export interface RootSubject {
  readonly type: 'issue' | 'question' | 'user'
  readonly id: number
}

/** Returns undefined if the caller may not read the comment, question or answer; issues and users are not checked. */
export async function findRoot(db: Queryable, { type, id }: Subject, viewer: Viewer | null): Promise<RootSubject | undefined> {
  if (type === 'issue' || type === 'user') return { type, id }
  if (type === 'comment') {
    const issue = await findIssueId(db, id, viewer)
    return issue === undefined ? undefined : { type: 'issue', id: issue }
  }
  const statement =
    type === 'question'
      ? sql.type(IdRow)`SELECT q.id FROM questions q WHERE q.id = ${id} AND ${questionReadableBy(viewer)}`
      : sql.type(IdRow)`SELECT a.question_id AS id FROM answers a WHERE a.id = ${id} AND ${answerReadableBy(viewer)}`
  const [question] = await db.query(statement)
  return question && { type: 'question', id: question.id }
}

async function lockQuestionRow(tx: Transaction, id: number): Promise<void> {
  await tx.execute(sql`SELECT q.id FROM questions q WHERE q.id = ${id} FOR NO KEY UPDATE`)
}

const columns = {
  issue: sql`issue_id`,
  comment: sql`comment_id`,
  question: sql`question_id`,
  answer: sql`answer_id`,
  user: sql`flagged_user_id`,
} as const satisfies Record<Subject['type'], Sql>

const flagCondition = ({ type, id }: Subject): Sql => sql`f.${columns[type]} = ${id}`

export const hasFlagged = async (db: PrismaHandle, subject: Subject, { id }: Viewer): Promise<boolean> =>
  (await db.prisma.flag.count({ where: { ...flagged(subject), user_id: id } })) > 0

const flagged = ({ type, id }: Subject) => ({ [type === 'user' ? 'flagged_user_id' : `${type}_id`]: id })

interface NewFlagRow {
  readonly subject: Subject
  readonly user_id: number
  readonly message: string
  readonly created_at: Date
}

/** Inserts a flag and returns its id; undefined if the user has already flagged the subject. */
export async function addFlag(tx: Transaction, { subject, user_id, message, created_at }: NewFlagRow): Promise<number | undefined> {
  const [flag] = await tx.prisma.flag.createManyAndReturn({
    data: { ...flagged(subject), user_id, message, created_at },
    skipDuplicates: true,
    select: { id: true },
  })
  return flag?.id
}

const FlagCountRow = Type.Object({ flags: Count })

/**
 * Counts flags since the last decision, from accounts that were old enough. An approved subject needs flags by other users,
 * because a user flags a subject only once. Requires the lock of the issue, question or user.
 */
async function countFlags(tx: Transaction, subject: Subject): Promise<number> {
  const [row] = await tx.query(sql.type(FlagCountRow)`
    SELECT count(*)::integer AS flags
    FROM flags f JOIN users u ON u.id = f.user_id
    WHERE ${flagCondition(subject)} AND u.created_at <= f.created_at - make_interval(secs => ${ACCOUNT_AGE_S})
      AND f.created_at > coalesce((
        SELECT max(item.decided_at) FROM moderation_items item
        WHERE item.subject_type = ${subject.type} AND item.subject_id = ${subject.id} AND item.state <> 'held'), '-infinity')`)
  return row?.flags ?? 0
}

interface FlagInput {
  readonly subject: Subject
  readonly message: string
  readonly by: Viewer
  /** The time is read after the lock, so that a flag that waited for a decision is dated after it and counts. */
  readonly clock: () => Date
  readonly request_id: string
}

/**
 * Idempotent. Three flags that count add the subject to the moderation queue once.
 * @throws Problem 404 if the caller may not read the subject, 422 `{base}` if it is not public or is the caller's own
 */
export async function flagSubject(tx: Transaction, { subject, message, by, clock, request_id }: FlagInput): Promise<void> {
  const root = await lockRoot(tx, subject, by)
  const { author_id, text: original } = await findPublicText(tx, subject)
  if (author_id === by.id) throw problems.invalid({ base: OWN_TEXT[root.type] })
  const now = clock()
  const flag_id = await addFlag(tx, { subject, user_id: by.id, message: message.trim(), created_at: now })
  if (flag_id === undefined) return
  if ((await countFlags(tx, subject)) >= FLAGS_FOR_REVIEW)
    await addModerationItem(tx, {
      subject_type: subject.type,
      subject_id: subject.id,
      reasons: ['flagged'],
      original,
      created_at: now,
    })
  const payload = root.type === subject.type ? { flag_id } : { [`${root.type}_id`]: root.id, flag_id }
  return recordEvent(tx, { type: `${subject.type}.flagged`, subject_id: subject.id, actor_id: by.id, payload, request_id })
}

const OWN_TEXT = {
  issue: text('own_content_in_issue'),
  question: text('own_content_in_question'),
  user: text('own_profile'),
} as const

export const subjectCodes = {
  issue: 'the_issue',
  comment: 'the_comment',
  question: 'the_question',
  answer: 'the_answer',
  user: 'the_user',
} as const

/** Locks the user, or the issue or question to which the subject belongs, so that concurrent flags are counted one after another. */
async function lockRoot(tx: Transaction, subject: Subject, by: Viewer): Promise<RootSubject> {
  const root = orNotFound(await findRoot(tx, subject, by), subjectCodes[subject.type])
  if (root.type === 'issue') await lockIssue(tx, root.id, by)
  else if (root.type === 'question') await lockQuestionRow(tx, root.id)
  else await lockUser(tx, root.id)
  return root
}

async function findPublicText(tx: Transaction, subject: Subject): Promise<FlaggedText> {
  const flagged = orNotFound(await findFlaggedText(tx, subject), subjectCodes[subject.type])
  if (flagged.moderation_state !== 'passed') throw problems.invalid({ base: text('not_public_to_flag') })
  return flagged
}
