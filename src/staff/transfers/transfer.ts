import Type, { type Static } from 'typebox'

import type { Prisma } from '../../../prisma/generated/client.ts'
import { Id, nullable, type Queryable, sql, type Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { isInStoredArea } from '../../geo/area.ts'
import { mayIn } from '../../http/identity/capabilities.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { type EditableIssue, editIssue, type EditResult, type IssueEdit } from '../../issue-lifecycle/edit-issue.ts'
import { statusText } from '../../issue-lifecycle/status.ts'
import { text } from '../../locales/texts.ts'
import { updateTargets } from '../targets/update-targets.ts'
import { endOffers, findOpenTransfer, findTransfer, type TransferRow } from './queries.ts'

export interface Offer {
  readonly organization_id: number
  readonly request_type_id?: number | undefined
  readonly reason?: string | undefined
}

type StaffEdit = Omit<IssueEdit, 'capability' | 'organization_id'>

/**
 * Offers an issue to another organisation and returns the id of the transfer.
 * @throws Problem of `editIssue`, and 422 `{organization_id}` or `{request_type_id}` if the receiver cannot have the issue, `{base}` if the issue is closed or
 * offered already
 */
export async function offerTransfer(tx: Transaction, { offer, ...edit }: StaffEdit & { readonly offer: Offer }): Promise<number> {
  let id = 0
  await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async (issue) => {
    const created = await createOffer(tx, issue, { ...edit, offer })
    id = created.id
    return created.result
  })
  return id
}

/** Creates the offer of a locked issue and returns its log entry. @throws Problem as `offerTransfer` */
export async function createOffer(
  tx: Transaction,
  issue: EditableIssue,
  { by, now, offer }: Pick<StaffEdit, 'by' | 'now'> & { readonly offer: Offer },
): Promise<{ readonly id: number; readonly result: EditResult }> {
  const { organization_id: to_id, request_type_id = null } = offer
  const reason = offer.reason?.trim() ?? null
  requireOpen(issue)
  const receiver = await findReceiver(tx, issue, to_id)
  if (!receiver) throw problems.invalid({ organization_id: text('organization_unknown') })
  if (receiver.from_id === to_id) throw problems.invalid({ organization_id: text('organization_has_issue') })
  if (!receiver.covers) throw problems.invalid({ organization_id: text('organization_area_elsewhere') })
  if (request_type_id !== null) await requireType(tx, request_type_id, to_id)
  if (await findOpenTransfer(tx, issue.id)) throw problems.invalid({ base: text('transfer_already_offered') })
  await endOffers(tx, issue.id, now)
  const { id } = await tx.prisma.issueTransfer.create({
    data: { issue_id: issue.id, from_id: receiver.from_id, to_id, reason, request_type_id, offered_by: by.id, offered_at: now },
    select: { id: true },
  })
  const after = { transfer_id: id, state: 'offered', organization_id: to_id, request_type_id, reason }
  return { id, result: { log: { kind: 'transfer', before: { organization_id: receiver.from_id }, after } } }
}

/**
 * Accepts an offer: the issue gets a type of the receiver and no assignee, and its target starts again.
 * @throws Problem 404 if the caller may not see the offer, 403 without `work_on_issues` in the receiving organisation, 422 `{base}` if it is no longer
 * open, `{request_type_id}` if the type is not one of the receiver's, 412 for an old version
 */
export async function acceptTransfer(
  tx: Transaction,
  {
    transfer,
    request_type_id,
    ...edit
  }: Omit<StaffEdit, 'issue_id'> & { readonly transfer: TransferRow; readonly request_type_id: number },
): Promise<void> {
  const { by, now } = edit
  await answer(tx, { transfer, organization_id: transfer.to.id, ...edit }, async (issue) => {
    const { category } = await requireType(tx, request_type_id, transfer.to.id)
    await close(tx, transfer.id, { state: 'accepted', request_type_id, answered_by: by.id, answered_at: now })
    return {
      set: sql`request_type_id = ${request_type_id}::integer, category = ${category}::text, assignee_id = NULL,
        updated_at = greatest(i.updated_at, ${now.toISOString()}::timestamptz)`,
      log: {
        kind: 'transfer',
        before: {
          organization_id: transfer.from?.id ?? null,
          request_type_id: issue.request_type_id,
          assignee_id: issue.assignee_id,
        },
        after: { transfer_id: transfer.id, state: 'accepted', organization_id: transfer.to.id, request_type_id, assignee_id: null },
        is_public: true,
      },
    }
  })
  await updateTargets(tx, [transfer.issue_id], now)
}

/** Refuses an offer: the issue stays where it is. @throws Problem as `acceptTransfer` */
export async function refuseTransfer(
  tx: Transaction,
  { transfer, refusal, ...edit }: Omit<StaffEdit, 'issue_id'> & { readonly transfer: TransferRow; readonly refusal: string },
): Promise<void> {
  const { by, now } = edit
  await answer(tx, { transfer, organization_id: transfer.to.id, ...edit }, async () => {
    await close(tx, transfer.id, { state: 'refused', refusal: refusal.trim(), answered_by: by.id, answered_at: now })
    const after = { transfer_id: transfer.id, state: 'refused', organization_id: transfer.to.id, refusal: refusal.trim() }
    return { log: { kind: 'transfer', before: { organization_id: transfer.from?.id ?? null }, after } }
  })
}

/** Withdraws an offer that is not answered. @throws Problem as `acceptTransfer`, 403 without `work_on_issues` in the organisation that offers the issue */
export async function withdrawTransfer(
  tx: Transaction,
  { transfer, ...edit }: Omit<StaffEdit, 'issue_id'> & { readonly transfer: TransferRow },
): Promise<void> {
  const { by, now } = edit
  const [from, organization_id] = [transfer.from?.id ?? null, transfer.to.id]
  await answer(tx, { transfer, organization_id: from, ...edit }, async () => {
    await close(tx, transfer.id, { state: 'withdrawn', answered_by: by.id, answered_at: now })
    const after = { transfer_id: transfer.id, state: 'withdrawn', organization_id }
    return { log: { kind: 'transfer', before: { organization_id: from }, after } }
  })
}

/** Returns an offer that the caller may see. @throws Problem 404 unless the caller has `read_issues` in one of its organisations */
export async function readTransfer(db: Queryable, id: number, by: Viewer): Promise<TransferRow> {
  const transfer = await findTransfer(db, id)
  if (!transfer || !maySeeTransfer(transfer, by)) throw problems.notFound('the_transfer')
  return transfer
}

/** Returns whether the caller has `read_issues` in the organisation that offers the issue, or in that to which it is offered. */
export const maySeeTransfer = ({ from, to }: TransferRow, by: Viewer): boolean =>
  [to, from].some((one) => one !== null && mayIn(by, 'read_issues', one.id))

/** Returns whether the caller works for one side of an offer. Without an organisation the sender is an Admin. */
export const mayAnswerFor = (by: Viewer, organizationId: number | null): boolean =>
  organizationId === null ? by.isAdmin : mayIn(by, 'work_on_issues', organizationId)

async function answer(
  tx: Transaction,
  {
    transfer,
    organization_id,
    ...edit
  }: Omit<StaffEdit, 'issue_id'> & { readonly transfer: TransferRow; readonly organization_id: number | null },
  work: (issue: EditableIssue) => Promise<EditResult>,
): Promise<void> {
  if (!mayAnswerFor(edit.by, organization_id))
    throw problems.notPermitted(text('organization_capability_missing', { capability: 'work_on_issues' }))
  const side = organization_id === null ? {} : { organization_id }
  await editIssue(tx, { ...edit, issue_id: transfer.issue_id, capability: 'work_on_issues', ...side }, async (issue) => {
    // The lock of the issue keeps the state: it is read again, because another answer may have come first.
    const current = await findTransfer(tx, transfer.id)
    if (current?.state !== 'offered') throw problems.invalid({ base: text('transfer_not_open') })
    return work(issue)
  })
}

const close = (tx: Transaction, id: number, data: Prisma.IssueTransferUncheckedUpdateInput) =>
  tx.prisma.issueTransfer.update({ where: { id }, data })

function requireOpen({ status }: EditableIssue): void {
  if (status === 'Closed' || status === 'Archived')
    throw problems.invalid({ base: text('transfer_of_ended_issue', { state: statusText(status) }) })
}

const Receiver = Type.Object({
  covers: Type.Boolean(),
  /** The organisation of the type or, for a community issue, the one for which the caller acts. */
  from_id: nullable(Id),
})

const findReceiver = (
  tx: Transaction,
  { id, acting_organization_id }: EditableIssue,
  organizationId: number,
): Promise<Static<typeof Receiver> | undefined> =>
  tx.query(sql.first(Receiver)`
    SELECT ${isInStoredArea('organization', sql`o.id`, sql`i.point`)} AS covers,
      coalesce((SELECT rt.organization_id FROM request_types rt WHERE rt.id = i.request_type_id AND NOT rt.is_other),
        ${acting_organization_id}::integer) AS from_id
    FROM issues i CROSS JOIN organizations o WHERE i.id = ${id} AND o.id = ${organizationId}::integer`)

async function requireType(tx: Transaction, id: number, organization_id: number): Promise<{ readonly category: string }> {
  const type = await tx.prisma.requestType.findFirst({
    where: { id, organization_id, active: true },
    select: { category: true },
  })
  if (!type) throw problems.invalid({ request_type_id: text('request_type_of_receiver') })
  return type
}
