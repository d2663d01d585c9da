import type { FastifyInstance, FastifyRequest } from 'fastify'

import { commentChanges, writeComment } from '../../comments/write-comment.ts'
import { Problem, problems } from '../../errors/problems.ts'
import { type FormValues, readText, toFormValues } from '../../html/form-input.ts'
import { safeReturnPath, seeOther } from '../../html/redirects.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { parseVersion } from '../../http/request/version-header.ts'
import { isId } from '../../http/schema/fields.ts'
import { editIssue } from '../../issue-lifecycle/edit-issue.ts'
import { limitIssueChanges } from '../../issue-lifecycle/lock-issue.ts'
import { text, textsIn } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'
import { assignIssue } from '../../staff/assignments/assign.ts'
import { type WorkAction, workActions } from './work-query.ts'

/** Outcomes that need no further field. The page of an issue has all. */
export const listOutcomes = ['fixed', 'not_ours', 'cannot_fix', 'not_found'] as const
type ListOutcome = (typeof listOutcomes)[number]

export const SELECTED_MAX = 100

/** The form of the list: one step for the selected issues, or for one of them. Each has its version, so an issue that changed meanwhile is left as it is. */
export function addWorkChanges(app: FastifyInstance, services: Services): void {
  const { db, urls, clock } = services

  app.post('/work', async (request, reply) => {
    const values = toFormValues(request.body)
    if (values['action'] === 'change') return seeOther(reply, urls, toBulkPath(values))
    const { action, ids } = readSelection(values)
    const changed: number[] = []
    const refused: number[] = []
    for (const id of ids) {
      try {
        await change(request, action, id)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        if (error.status === 412) changed.push(id)
        else refused.push(id)
      }
    }
    const count = ids.length - changed.length - refused.length
    return seeOther(reply, urls, withResult(readText(values, 'return_to'), { action, count, changed, refused }))
  })

  async function change(request: FastifyRequest, action: WorkAction, issue_id: number): Promise<void> {
    const values = toFormValues(request.body)
    const by = requireViewer(request)
    const version = parseVersion(readText(values, `version_${issue_id}`))
    const edit = { issue_id, by, version, source: 'web' as const, now: clock(), request_id: request.id }
    const { transaction } = limitIssueChanges(db, issue_id)
    if (action === 'assign')
      return transaction((tx) => assignIssue(tx, { ...edit, assignee_id: readAssignee(readText(values, 'assignee_id'), by.id) }))
    const language = pageLanguage(request)
    const outcome = readOutcome(readText(values, 'outcome'))
    const given = readText(values, 'comment').trim()
    const answer = textsIn(language)(`work.answers.${action === 'close' ? outcome : 'acknowledged'}`)
    await writeComment(services, {
      issueId: issue_id,
      transition: action,
      body: { comment: given === '' ? answer : given, ...(action === 'close' ? { outcome } : {}) },
      requiresOutcome: true,
      commenter: by,
      locale: language,
      requestId: request.id,
      // The same answer to many reports is no spam.
      mayRepeat: true,
      changes: {
        transaction: (work) =>
          commentChanges(request, db, issue_id).transaction(async (tx) => {
            await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async () => undefined)
            return work(tx)
          }),
      },
    })
  }
}

/** A button of a row has the action and the id, such as `acknowledge-4711`; one of all selected rows has the action alone. */
function readSelection(values: Readonly<Record<string, unknown>>): {
  readonly action: WorkAction
  readonly ids: readonly number[]
} {
  const [name = '', one] = readText(values, 'action').split('-')
  const action = workActions.find((known) => known === name)
  if (!action) throw problems.invalid({ action: text('must_be', { allowed: text('one_of', { values: workActions.join(', ') }) }) })
  return { action, ids: readIds(one === undefined ? [values['issue'] ?? []].flat() : [one]) }
}

function readIds(texts: readonly unknown[]): readonly number[] {
  const ids = texts.map(Number)
  if (ids.length > SELECTED_MAX || !ids.every(isId)) throw problems.invalid({ issue: text('issue_ids', { max: SELECTED_MAX }) })
  return [...new Set(ids)]
}

/** Returns the path on which the change of the selected issues is chosen; without a selection, that of the list. */
function toBulkPath(values: FormValues): string {
  const ids = readIds([values['issue'] ?? []].flat())
  const { pathname, search, searchParams } = new URL(safeReturnPath(readText(values, 'return_to')), 'http://own.invalid')
  if (ids.length === 0) return pathname === '/work' ? pathname + search : '/work'
  const organization_id = searchParams.get('organization_id') ?? ''
  return `/bulk?${new URLSearchParams({ organization_id, ids: ids.join() }).toString()}`
}

export function readAssignee(value: string, own: number): number | null {
  if (value === 'none') return null
  return /^\d{1,10}$/.test(value) ? Number(value) : own
}

/** Returns an outcome of the lists; `fixed` if none is given. @throws Problem 422 for another one */
export function readOutcome(value: string): ListOutcome {
  const outcome = listOutcomes.find((known) => known === (value || 'fixed'))
  if (!outcome)
    throw problems.invalid({ outcome: text('must_be', { allowed: text('one_of', { values: listOutcomes.join(', ') }) }) })
  return outcome
}

interface Result {
  readonly action: WorkAction
  readonly count: number
  readonly changed: readonly number[]
  readonly refused: readonly number[]
}

/** Returns the path of the list with what the form did. */
function withResult(path: string, { action, count, changed, refused }: Result): string {
  const { pathname, searchParams } = new URL(safeReturnPath(path), 'http://own.invalid')
  const result = { done: action, count: String(count), changed: changed.join(), refused: refused.join() }
  for (const [name, value] of Object.entries(result)) {
    if (value === '') searchParams.delete(name)
    else searchParams.set(name, value)
  }
  return `${pathname === '/work' ? pathname : '/work'}?${searchParams.toString()}`
}
