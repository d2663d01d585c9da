import Type, { type Static } from 'typebox'
import { Id, nullable, type Queryable, sql, type Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { isId, failsWith } from '../http/schema/fields.ts'
import { editIssue, type IssueEdit, toEdit } from '../issue-lifecycle/edit-issue.ts'
import { text } from '../locales/texts.ts'
import { endOffers, toTransfer } from './transfers/queries.ts'
import { createOffer, readTransfer } from './transfers/transfer.ts'
import { updateTargets, changeTarget } from './targets/update-targets.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { addDeletion } from '../http/auth/deletion-route.ts'
import { idempotent } from '../http/idempotency/idempotency.ts'
import { matchIfGiven, requireMatch, withEtag } from '../http/request/version-header.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'
import { limitIssueWrites } from '../issue-lifecycle/lock-issue.ts'
import { IssueParams } from '../issue-lifecycle/status.ts'
import type { Services } from '../services.ts'
import { TargetChange } from './targets/schema.ts'
import { addNote, deleteNote, editNote, readNote, readStaffIssue } from './staff-issue.ts'
import { NewNote, Note, NoteParams, PriorityChange, StaffIssue, TypeChange } from './schema.ts'
import { Transfer } from './transfers/schema.ts'

/** Sets the priority, from 0 (low) to 3 (urgent). Only staff see it. @throws Problem of `editIssue` */
export async function setPriority(
  tx: Transaction,
  { priority, ...edit }: Omit<IssueEdit, 'capability'> & { readonly priority: number },
): Promise<void> {
  await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async (issue) =>
    issue.priority === priority
      ? undefined
      : {
          set: sql`priority = ${priority}::smallint`,
          log: { kind: 'priority', before: { priority: issue.priority }, after: { priority } },
        },
  )
}

const NewType = Type.Object({
  id: Id,
  category: Type.String(),
  organization_id: nullable(Id),
  is_same_organization: Type.Boolean(),
})

/**
 * Changes the request type, null for `other`. Answers to the questions of the former type stay. For a type of another organisation the issue is offered to it,
 * and the id of the transfer is returned.
 * @throws Problem of `editIssue` and `createOffer`, 422 `{request_type_id}` for a type that does not exist or is retired
 */
export async function changeType(
  tx: Transaction,
  {
    request_type_id,
    reason,
    mayOffer = true,
    ...edit
  }: Omit<IssueEdit, 'capability'> & {
    readonly request_type_id: number | null
    readonly reason?: string | undefined
    readonly mayOffer?: boolean
  },
): Promise<number | null> {
  let transferId: number | null = null
  await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async (issue) => {
    if (issue.request_type_id === request_type_id) return undefined
    const type =
      request_type_id === null
        ? COMMUNITY
        : await findType(tx, request_type_id, issue.request_type_id, issue.acting_organization_id)
    if (!type) throw problems.invalid({ request_type_id: text('request_type_unknown') })
    if (!type.is_same_organization && type.organization_id !== null && request_type_id !== null) {
      if (!mayOffer) throw problems.invalid({ request_type_id: text('request_type_of_others') })
      const offer = { organization_id: type.organization_id, request_type_id, reason }
      const { id, result } = await createOffer(tx, issue, { ...edit, offer })
      transferId = id
      return result
    }
    await endOffers(tx, issue.id, edit.now)
    return {
      set: sql`request_type_id = ${request_type_id}::integer, category = ${type.category}::text,
        updated_at = greatest(i.updated_at, ${edit.now.toISOString()}::timestamptz)`,
      log: { kind: 'type', before: { request_type_id: issue.request_type_id }, after: { request_type_id }, is_public: true },
    }
  })
  await updateTargets(tx, [edit.issue_id])
  return transferId
}

const COMMUNITY = { category: 'other', organization_id: null, is_same_organization: true } as const

async function findType(
  db: Queryable,
  id: number,
  formerTypeId: number | null,
  actingOrganizationId: number | null,
): Promise<Static<typeof NewType> | undefined> {
  if (!isId(id)) return undefined
  return db.query(sql.first(NewType)`
    SELECT rt.id, rt.category, rt.organization_id,
      rt.organization_id IS NULL OR rt.organization_id IS NOT DISTINCT FROM ${actingOrganizationId}::integer
        OR rt.organization_id IS NOT DISTINCT FROM (SELECT former.organization_id FROM request_types former WHERE former.id = ${formerTypeId}::integer)
        AS is_same_organization
    FROM request_types rt WHERE rt.id = ${id} AND rt.active`)
}

const edited = { 200: StaffIssue, ...failsWith(400, 404, 412, 413, 415, 422, 428) }
const noted = failsWith(400, 404, 413, 415, 422)

export const staffRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, clock }) => {
  tagRoutes(app, 'Staff')
  app.addHook('onRequest', requireLogin)
  app.get(
    '/issues/:id/work',
    {
      schema: {
        operationId: 'getStaffIssue',
        summary: 'Get what staff see of an issue',
        description:
          'Its version, which its ETag begins with, for `If-Match`; its priority, internal notes and the log of all changes, for members of an organisation that may act for the issue.',
        params: IssueParams,
        response: { 200: StaffIssue, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      const issue = await readStaffIssue(db, request.params.id, requireViewer(request), urls)
      return withEtag(reply, issue, issue.version)
    },
  )

  app.put(
    '/issues/:id/priority',
    {
      schema: {
        operationId: 'setPriority',
        summary: 'Set the priority of an issue',
        description: 'With `If-Match`. Only staff see it. Needs the capability `work_on_issues`.',
        params: IssueParams,
        body: PriorityChange,
        response: edited,
      },
    },
    (request) => edit(request, (tx, input) => setPriority(tx, { ...input, priority: request.body.priority })),
  )

  app.put(
    '/issues/:id/type',
    {
      schema: {
        operationId: 'changeType',
        summary: 'Change the request type of an issue',
        description:
          'With `If-Match`. Answers to the questions of the former type stay. For a type of another organisation the response is 202: the issue is offered to it. Needs the capability `work_on_issues`.',
        params: IssueParams,
        body: TypeChange,
        response: { ...edited, 202: Transfer },
      },
    },
    async (request, reply) => {
      const { request_type_id, reason } = request.body
      let transferId: number | null = null
      const issue = await edit(request, async (tx, input) => {
        transferId = await changeType(tx, { ...input, request_type_id: parseTypeId(request_type_id), reason })
      })
      if (transferId === null) return issue
      return reply.code(202).send(toTransfer(await readTransfer(db, transferId, requireViewer(request)), urls))
    },
  )

  app.put(
    '/issues/:id/target',
    {
      schema: {
        operationId: 'changeIssueTarget',
        summary: 'Change the target of an issue',
        description:
          'Pauses or resumes its clock, or sets its times. With `If-Match`, and with `reason` except to end a pause. A pause moves the times by its working time. Only staff see it. Needs the capability `work_on_issues`.',
        params: IssueParams,
        body: TargetChange,
        response: edited,
      },
    },
    (request) => edit(request, (tx, input) => changeTarget(tx, { ...input, change: request.body })),
  )

  app.post(
    '/issues/:id/notes',
    {
      schema: {
        operationId: 'addNote',
        summary: 'Add an internal note to an issue',
        description: 'Only staff see notes. They overwrite nothing, so `If-Match` is not needed.',
        params: IssueParams,
        body: NewNote,
        response: { 201: StaffIssue, ...noted },
      },
    },
    async (request, reply) => {
      const input = { ...noteInput(request), text: request.body.text }
      await idempotent(request, db, async (tx) => ({ id: await addNote(tx, input) }))
      return reply.code(201).send(await readStaffIssue(db, input.issue_id, input.by, urls))
    },
  )

  app.get(
    '/issues/:id/notes/:note_id',
    {
      schema: {
        operationId: 'getNote',
        summary: 'Get an internal note',
        description: 'Its ETag is `If-Match` of a change.',
        params: NoteParams,
        response: { 200: Note, ...failsWith(404) },
      },
    },
    async (request, reply) =>
      withEtag(reply, await readNote(db, request.params.id, requireViewer(request), request.params.note_id)),
  )

  app.put(
    '/issues/:id/notes/:note_id',
    {
      schema: {
        operationId: 'editNote',
        summary: 'Edit one of your notes',
        description: 'With `If-Match`. The note of another author is 404.',
        params: NoteParams,
        body: NewNote,
        response: edited,
      },
    },
    async (request) => {
      const input = noteInput(request)
      await db.transaction((tx) =>
        editNote(tx, { ...input, text: request.body.text }, request.params.note_id, (note) => requireMatch(request, note)),
      )
      return readStaffIssue(db, input.issue_id, input.by, urls)
    },
  )

  addDeletion(app, {
    path: '/issues/:id/notes/:note_id',
    operationId: 'deleteNote',
    summary: 'Delete one of your notes',
    description: 'With `If-Match` only this version. The note of another author is 404.',
    params: NoteParams,
    done: 'The note is deleted.',
    fails: [404, 412, 422],
    act: (_, { note_id }, request) =>
      db.transaction((tx) => deleteNote(tx, noteInput(request), note_id, (find) => matchIfGiven(request, find))),
  })

  const noteInput = (request: FastifyRequest) => ({
    issue_id: (request.params as { readonly id: number }).id,
    by: requireViewer(request),
    now: clock(),
  })

  async function edit(
    request: FastifyRequest,
    change: (tx: Transaction, input: Omit<IssueEdit, 'capability'>) => Promise<void>,
  ): Promise<StaffIssue> {
    const { id } = request.params as { readonly id: number }
    const input = { issue_id: id, ...toEdit(request, clock()) }
    await limitIssueWrites(db, id).transaction((tx) => change(tx, input))
    return readStaffIssue(db, id, input.by, urls)
  }
}

export const parseTypeId = (input: number | string | null) => (input === null || input === 'other' ? null : Number(input))
