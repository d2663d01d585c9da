import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import type { Transaction } from '../database/database.ts'
import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { idempotent } from '../http/idempotency/idempotency.ts'
import { matchIfGiven, requireMatch, withEtag } from '../http/request/version-header.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'
import { failsWith } from '../http/schema/fields.ts'
import { type IssueEdit, toEdit } from '../issue-lifecycle/edit-issue.ts'
import { limitIssueChanges } from '../issue-lifecycle/lock-issue.ts'
import { IssueParams } from '../issue-lifecycle/status.ts'
import type { Services } from '../services.ts'
import { changeType, setPriority } from './edits.ts'
import { changeTarget } from './targets/update-targets.ts'
import { TargetChange } from './targets/schema.ts'
import { addNote, deleteNote, editNote, readNote, readStaffIssue } from './staff-issue.ts'
import { NewNote, Note, NoteParams, PriorityChange, StaffIssue, TypeChange } from './schema.ts'
import { toTransfer } from './transfers/queries.ts'
import { Transfer } from './transfers/schema.ts'
import { readTransfer } from './transfers/transfer.ts'

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

  app.delete(
    '/issues/:id/notes/:note_id',
    {
      schema: {
        operationId: 'deleteNote',
        summary: 'Delete one of your notes',
        description: 'With `If-Match` only this version. The note of another author is 404.',
        params: NoteParams,
        response: { 204: { type: 'null', description: 'The note is deleted.' }, ...failsWith(404, 412, 422) },
      },
    },
    async (request, reply) => {
      await db.transaction((tx) =>
        deleteNote(tx, noteInput(request), request.params.note_id, (find) => matchIfGiven(request, find)),
      )
      return reply.code(204).send(null)
    },
  )

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
    await limitIssueChanges(db, id).transaction((tx) => change(tx, input))
    return readStaffIssue(db, id, input.by, urls)
  }
}

export const parseTypeId = (input: number | string | null) => (input === null || input === 'other' ? null : Number(input))
