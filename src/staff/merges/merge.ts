import { type CommentPublication, publishLocked } from '../../comments/publish-comment.ts'
import type { Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { editIssue, type IssueEdit, requireIssueCapability } from '../../issue-lifecycle/edit-issue.ts'
import { checkTransition, refusalMessage } from '../../issue-lifecycle/transitions.ts'
import { languageOf, text, textsIn } from '../../locales/texts.ts'
import {
  type CarriedVote,
  carryFollowers,
  carryVotes,
  findMerge,
  lockMerge,
  type LockedIssue,
  returnFollowers,
  returnVotes,
} from './queries.ts'

type StaffEdit = Omit<IssueEdit, 'capability' | 'organization_id'>

/**
 * Closes an issue as a duplicate of another one, which gets its followers and votes; each user counts once. Lock order: users by id, then both issues by id.
 * @throws Problem of `editIssue`, 422 `{duplicate_of}` if the other issue is the same, unknown, not public, archived or a duplicate itself, `{base}` if the
 * issue cannot be closed, is merged already or has duplicates
 */
export async function mergeIssue(
  tx: Transaction,
  { duplicate_of: into_id, ...edit }: StaffEdit & { readonly duplicate_of: number },
): Promise<void> {
  const { issue_id, by, now } = edit
  const merge = { issue_id, into_id }
  await requireIssueCapability(tx, issue_id, by, 'work_on_issues')
  const { users, issue, into } = await lockMerge(tx, merge, [by.id])
  const { status } = await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async (locked) => {
    const refusal = refuse(issue, into)
    if (refusal) throw problems.invalid(refusal)
    if (!('to' in checkTransition('close', locked.status, 'employee')))
      throw problems.invalid({ base: refusalMessage('close', locked.status) })
    const [followers, votes] = [await carryFollowers(tx, merge, users, now), await carryVotes(tx, merge, users)]
    const data = { ...merge, from_status: locked.status, followers, votes, merged_by: by.id, merged_at: now }
    await tx.prisma.issueMerge.create({ data })
    return { log: { kind: 'merge', before: { duplicate_of: null }, after: { duplicate_of: into_id }, is_public: true } }
  })
  const locale = languageOf(issue?.locale ?? 'en')
  const comment_id = await publish(tx, edit, locale, {
    text: textsIn(locale)('mergeComment.merged', { number: `#${into_id}` }),
    transition: {
      ...{ name: 'close', from: status, to: 'Closed' },
      closing: { outcome: 'duplicate', passed_on_to: null, duplicate_of_id: into_id },
    },
  })
  await tx.prisma.issueMerge.updateMany({ where: { issue_id, undone_at: null }, data: { comment_id } })
}

/**
 * Undoes a merge: followers and votes that were carried go back, and the issue has its former status again unless that has changed since.
 * @throws Problem of `editIssue`, 422 `{base}` if the issue is not merged
 */
export async function unmergeIssue(tx: Transaction, edit: StaffEdit): Promise<void> {
  const { issue_id, by, now } = edit
  await requireIssueCapability(tx, issue_id, by, 'work_on_issues')
  const found = await findMerge(tx, issue_id)
  if (!found) throw problems.invalid({ base: text('issue_not_merged') })
  const carried = found.votes as unknown as CarriedVote[]
  const { issue } = await lockMerge(tx, found, [by.id, ...found.followers, ...carried.map(({ user_id }) => user_id)])
  const { status } = await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async () => {
    const { count } = await tx.prisma.issueMerge.updateMany({
      where: { id: found.id, undone_at: null },
      data: { undone_at: now, undone_by: by.id },
    })
    if (count === 0) throw problems.invalid({ base: text('issue_not_merged') })
    await returnFollowers(tx, found.into_id, found.followers, found.merged_at)
    await returnVotes(tx, found, carried)
    return { log: { kind: 'merge', before: { duplicate_of: found.into_id }, after: { duplicate_of: null }, is_public: true } }
  })
  const last = await tx.prisma.statusChange.findFirst({ where: { issue_id }, orderBy: { id: 'desc' } })
  const isUnchanged = status === 'Closed' && last !== null && last.comment_id !== null && last.comment_id === found.comment_id
  const locale = languageOf(issue?.locale ?? 'en')
  await publish(tx, edit, locale, {
    text: textsIn(locale)('mergeComment.undone', { number: `#${found.into_id}` }),
    transition: isUnchanged ? { name: 'open', from: 'Closed', to: found.from_status } : undefined,
  })
}

function refuse(issue: LockedIssue | undefined, into: LockedIssue | undefined) {
  if (!into || into.moderation_state !== 'passed' || into.id === issue?.id) return { duplicate_of: text('duplicate_of_unknown') }
  if (into.status === 'Archived') return { duplicate_of: text('duplicate_of_archived') }
  if (into.into_id !== null) return { duplicate_of: text('duplicate_of_duplicate', { number: `#${into.into_id}` }) }
  if (issue?.into_id) return { base: text('issue_merged_already', { number: `#${issue.into_id}` }) }
  return issue?.has_duplicates ? { base: text('issue_has_duplicates') } : undefined
}

/** Publishes the comment that explains the change to all users, and returns its id. */
async function publish(
  tx: Transaction,
  { issue_id, by, now, request_id }: StaffEdit,
  locale: string,
  { text: comment, transition }: { readonly text: string; readonly transition: CommentPublication['transition'] },
): Promise<number> {
  const { id } = await publishLocked(tx, {
    ...{ issue_id, commenter_id: by.id, transition, now, request_id },
    comment: { commenter_id: by.id, comment, video_url: null, locale, device_id: null, created_at: now },
  })
  return id
}
