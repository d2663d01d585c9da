import { text } from '../locales/texts.ts'
import type { PrismaHandle } from '../database/database.ts'
import type { ValidationErrors } from '../errors/problems.ts'
import { type Closing, closingBy, employeeOutcomes, type Outcome, REPORTED_FIXED } from '../issue-lifecycle/outcomes.ts'
import type { ActorRole, TransitionName } from '../issue-lifecycle/transitions.ts'

export interface CheckedClosing {
  /** It is undefined for other transitions and if there are errors. */
  readonly closing?: Closing | undefined
  readonly errors: ValidationErrors
}

interface ClosingRequest {
  readonly issueId: number
  readonly transition: TransitionName | undefined
  readonly role: ActorRole
  readonly body: unknown
  /** True for a page: an employee must choose an outcome, and name the receiver or the issue that goes with it. */
  readonly requiresOutcome?: boolean | undefined
  /** Errors of the schema. Fields with an error are not checked again. */
  readonly inputErrors: ValidationErrors
}

/** Reads the outcome of a closing. Residents only say that the issue is fixed; an employee gives one of the other outcomes, or none. */
export async function checkClosing(
  db: PrismaHandle,
  { issueId, transition, role, body, requiresOutcome = false, inputErrors }: ClosingRequest,
): Promise<CheckedClosing> {
  if (transition !== 'close') return { errors: {} }
  const fields = (typeof body === 'object' && body !== null ? body : {}) as ClosingFields
  const { outcome, ...rest } = readFields(fields)
  // A form also sends the fields of outcomes that are not chosen.
  const passed_on_to = requiresOutcome && outcome !== 'passed_on' ? null : rest.passed_on_to
  const duplicate_of = requiresOutcome && outcome !== 'duplicate' ? null : rest.duplicate_of
  const allowed = role === 'employee' ? employeeOutcomes : ([REPORTED_FIXED.outcome] as const)
  const hasOutcomeError = outcome !== null && !(allowed as readonly (string | null)[]).includes(outcome)
  const errors: ValidationErrors = {
    ...(outcome === null && requiresOutcome && role === 'employee' ? { outcome: text('outcome_needed') } : {}),
    ...(hasOutcomeError ? { outcome: text('must_be', { allowed: text('one_of', { values: allowed.join(', ') }) }) } : {}),
    ...(passed_on_to !== null && outcome !== 'passed_on'
      ? { passed_on_to: text('only_with_outcome', { outcome: 'passed_on' }) }
      : {}),
    ...(requiresOutcome && outcome === 'passed_on' && passed_on_to === null ? { passed_on_to: text('is_required') } : {}),
    ...(requiresOutcome && outcome === 'duplicate' && duplicate_of === null ? { duplicate_of: text('duplicate_of_unknown') } : {}),
    ...(duplicate_of !== null && outcome !== 'duplicate'
      ? { duplicate_of: text('only_with_outcome', { outcome: 'duplicate' }) }
      : {}),
  }
  const known = { ...errors, ...inputErrors }
  const duplicate = { duplicate_of: text('duplicate_of_unknown') }
  if (duplicate_of !== null && known['duplicate_of'] === undefined && !(await isOtherPublicIssue(db, duplicate_of, issueId)))
    return { errors: { ...errors, ...duplicate } }
  if (Object.keys(known).length > 0) return { errors }
  const closing = { outcome: outcome as Outcome | null, passed_on_to, duplicate_of_id: duplicate_of }
  return { closing: closingBy(role === 'employee', closing), errors }
}

type ClosingFields = Readonly<Partial<Record<'outcome' | 'passed_on_to' | 'duplicate_of', unknown>>>

/** Blank fields of forms count as missing. */
function readFields({ outcome, passed_on_to, duplicate_of }: ClosingFields) {
  const toText = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null)
  const id = Number(typeof duplicate_of === 'number' ? duplicate_of : (toText(duplicate_of)?.replace(/^#/, '') ?? Number.NaN))
  return { outcome: toText(outcome), passed_on_to: toText(passed_on_to), duplicate_of: Number.isNaN(id) ? null : id }
}

const isOtherPublicIssue = async (db: PrismaHandle, id: number, issueId: number): Promise<boolean> =>
  id !== issueId && (await db.prisma.issue.count({ where: { id, moderation_state: 'passed' } })) > 0
