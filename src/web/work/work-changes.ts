import type { FastifyReply, FastifyRequest } from 'fastify'

import { commentChanges, writeComment } from '../../comments/write-comment.ts'
import { Problem, problems, type ValidationErrors } from '../../errors/problems.ts'
import { fileErrors, type FormValues, readText } from '../../html/form.ts'
import { seeOther } from '../../html/links.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { Upload } from '../../http/request/upload.ts'
import { parseVersion } from '../../http/request/version-header.ts'
import { isId } from '../../http/schema/fields.ts'
import { editIssue } from '../../issue-lifecycle/edit-issue.ts'
import { limitIssueWrites } from '../../issue-lifecycle/lock-issue.ts'
import { employeeOutcomes } from '../../issue-lifecycle/status.ts'
import { text, type Texts, textsIn } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'
import { assignIssue } from '../../staff/assignments.ts'
import { listOfferedTemplates } from '../../staff/templates.ts'
import { offerTransfer } from '../../staff/transfers/transfer.ts'
import { toParameters, type WorkAction, workActions, type WorkQuery } from './work-query.ts'

export const SELECTED_MAX = 100

/** A choice of the outcomes that is a prepared answer has its id. */
export const TEMPLATE_PREFIX = 'template-'

interface Sent {
  readonly values: FormValues
  readonly query: WorkQuery
  /** Sends the list again with what was typed and the errors of the form. */
  readonly reject: (errors: ValidationErrors) => Promise<FastifyReply>
}

/**
 * Takes one step for the selected issues of a list, or for one of them. Each has its version, so an issue that changed meanwhile is left as it is. An error
 * in a field is found at the first issue, before anything has changed.
 */
export async function changeSelected(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { values, query, reject }: Sent,
): Promise<FastifyReply> {
  const { action, ids } = readSelection(values)
  if (ids.length === 0) return reject({ issue: text('no_issue_selected') })
  if (request.largeFiles.length > 0) return reject(fileErrors(request))
  if (ids.length > 1 && values['image'] instanceof Upload) return reject({ image: text('picture_of_one_issue') })
  const redirect = (path: string, result: Readonly<Record<string, string>>) => {
    const parameters = Object.entries({ ...toParameters(query), ...result }).map(([name, value]) => [name, String(value)])
    return seeOther(
      reply,
      services.urls,
      `${path}?${new URLSearchParams(parameters.filter(([, value]) => value !== '')).toString()}`,
    )
  }
  if (action === 'change') return redirect('/bulk', { ids: ids.join() })
  const changed: number[] = []
  const refused: number[] = []
  for (const [index, id] of ids.entries()) {
    try {
      await change(services, request, { action, id, values })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (index === 0 && error.body.kind !== 'message' && Object.keys(error.body.fields).every(isTyped))
        return reject(error.body.fields)
      if (error.status === 412) changed.push(id)
      else refused.push(id)
    }
  }
  const count = ids.length - changed.length - refused.length
  return redirect('/work', { done: action, count: String(count), changed: changed.join(), refused: refused.join() })
}

const isTyped = (name: string) =>
  ['comment', 'image', 'passed_on_to', 'duplicate_of', 'assignee_id', 'organization_id'].includes(name)

interface Change {
  readonly action: WorkAction
  readonly id: number
  readonly values: FormValues
}

async function change(services: Services, request: FastifyRequest, { action, id, values }: Change): Promise<void> {
  const { db, clock } = services
  const by = requireViewer(request)
  const value = (name: string) => readText(values, name).trim()
  const version = parseVersion(value(`version_${id}`))
  const edit = { issue_id: id, by, version, source: 'web' as const, now: clock(), request_id: request.id }
  const { transaction } = limitIssueWrites(db, id)
  if (action === 'assign')
    return transaction((tx) => assignIssue(tx, { ...edit, assignee_id: readAssignee(value('assignee_id'), by.id) }))
  if (action === 'transfer') {
    const organization_id = Number(value('organization_id'))
    if (!isId(organization_id)) throw problems.invalid({ organization_id: text('organization_unknown') })
    await transaction((tx) => offerTransfer(tx, { ...edit, offer: { organization_id } }))
    return
  }
  const language = pageLanguage(request)
  const closing = action === 'close' ? await readClosing(services, by, id, values) : {}
  await writeComment(services, {
    issueId: id,
    transition: action,
    body: { comment: value('comment') || usualAnswer(closing, textsIn(language)), image: values['image'], ...closing },
    requiresOutcome: true,
    commenter: by,
    locale: language,
    requestId: request.id,
    // The same answer to many reports is no spam.
    mayRepeat: true,
    changes: {
      transaction: (work) =>
        commentChanges(request, db, id).transaction(async (tx) => {
          await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async () => undefined)
          return work(tx)
        }),
    },
  })
}

interface ClosingFields {
  readonly outcome?: string
  readonly words?: string
}

/** Returns the fields of a closing, with the words of the prepared answer if one is chosen. @throws Problem 422 if it is not for this issue */
async function readClosing({ db }: Services, viewer: Viewer, id: number, values: FormValues) {
  const outcome = readText(values, 'outcome') || 'fixed'
  const fields = { passed_on_to: readText(values, 'passed_on_to'), duplicate_of: readText(values, 'duplicate_of') }
  if (!outcome.startsWith(TEMPLATE_PREFIX)) return { ...fields, outcome }
  const issue = await db.prisma.issue.findUnique({ where: { id }, select: { id: true, request_type_id: true } })
  const templates = issue ? await listOfferedTemplates(db, { viewer, issue }) : []
  const template = templates.find((one) => `${TEMPLATE_PREFIX}${one.id}` === outcome)
  if (!template) throw problems.invalid({ base: text('outcome_needed') })
  return { ...fields, outcome: template.outcome ?? '', words: template.words }
}

function usualAnswer({ outcome, words }: ClosingFields, texts: Texts): string {
  const known = employeeOutcomes.find((one) => one === outcome)
  return words ?? texts(`work.answers.${known ?? 'acknowledged'}`)
}

/** A button of a row has the action and the id, such as `acknowledge-4711`; one of all selected rows has the action alone. */
function readSelection(values: Readonly<Record<string, unknown>>): {
  readonly action: WorkAction | 'change'
  readonly ids: readonly number[]
} {
  const actions = [...workActions, 'change'] as const
  const [name = '', one] = readText(values, 'action').split('-')
  const action = actions.find((known) => known === name)
  if (!action) throw problems.invalid({ action: text('must_be', { allowed: text('one_of', { values: actions.join(', ') }) }) })
  return { action, ids: readIds(one === undefined ? [values['issue'] ?? []].flat() : [one]) }
}

function readIds(texts: readonly unknown[]): readonly number[] {
  const ids = texts.map(Number)
  if (ids.length > SELECTED_MAX || !ids.every(isId)) throw problems.invalid({ issue: text('issue_ids', { max: SELECTED_MAX }) })
  return [...new Set(ids)]
}

function readAssignee(value: string, own: number): number | null {
  if (value === 'none') return null
  return /^\d{1,10}$/.test(value) ? Number(value) : own
}
