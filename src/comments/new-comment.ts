import Type, { type Static } from 'typebox'

import type { PrismaHandle } from '../database/database.ts'
import type { ValidationErrors } from '../errors/problems.ts'
import { type Upload, UploadedFile } from '../http/request/upload.ts'
import { Id, nullable, visibleText } from '../http/schema/fields.ts'
import { type ActorRole, type TransitionName } from '../issue-lifecycle/transitions.ts'
import { type Outcome, outcomes, type Closing, closingBy, employeeOutcomes, REPORTED_FIXED } from '../issue-lifecycle/status.ts'
import { text } from '../locales/texts.ts'
import { Comment, IssueState } from './schema.ts'

export const COMMENT_MAX = 10_000
const YOUTUBE_URL_MAX = 500
const DEVICE_MAX = 255
export const PASSED_ON_TO_MAX = 200
export const YOUTUBE_ALLOWED = text('video_address')

export const NewComment = Type.Object(
  {
    comment: visibleText(COMMENT_MAX, {
      examples: ['It is still there, and deeper.'],
    }),
    image: Type.Optional(
      Type.Unsafe<Upload | '' | null>({
        anyOf: [UploadedFile(), { type: 'string', maxLength: 0 }, { type: 'null' }],
        'x-allowed': text('uploaded_picture', { max: 20 }),
        description: 'A picture; its metadata is removed.',
      }),
    ),
    youtube_url: Type.Optional(
      nullable(Type.String({ maxLength: YOUTUBE_URL_MAX }), {
        'x-allowed': YOUTUBE_ALLOWED,
        description: 'A link to a video on YouTube. It is never fetched.',
        examples: ['https://youtu.be/dQw4w9WgXcQ'],
      }),
    ),
    device_id: Type.Optional(
      nullable(Type.String({ maxLength: DEVICE_MAX }), {
        description: 'For debugging.',
        examples: ['a1b2'],
      }),
    ),
  },
  { title: 'NewComment' },
)
export type NewComment = Static<typeof NewComment>

/** Residents may leave these fields out, because their closing always says that the issue is reported as fixed. */
export const NewClosing = Type.Object(
  {
    ...NewComment.properties,
    outcome: Type.Optional(
      Type.Unsafe<Outcome | '' | null>({
        type: ['string', 'null'],
        enum: [...outcomes, '', null],
        description:
          'Why the issue is closed. Employees give one of the first six, or none; a closing by another user is always `reported_fixed`.',
        examples: ['passed_on'],
      }),
    ),
    passed_on_to: Type.Optional(
      nullable(Type.String({ maxLength: PASSED_ON_TO_MAX }), {
        description: 'With the outcome `passed_on`: who has the issue now. It is public.',
        examples: ['State Department of Transportation'],
      }),
    ),
    duplicate_of: Type.Optional(
      Type.Unsafe<number | string | null>({
        anyOf: [{ ...Id }, { type: 'string', pattern: '^(#?[1-9]\\d{0,8})?$' }, { type: 'null' }],
        'x-allowed': text('issue_number'),
        description: 'With the outcome `duplicate`: the id of the public issue that this one repeats.',
        examples: [4710],
      }),
    ),
  },
  { title: 'NewClosing' },
)

export const WrittenComment = Type.Object(
  {
    ...Comment.properties,
    body: Type.String({ description: 'The same as `comment`.', examples: ['It is still there, and deeper.'] }),
    moderated: Type.Boolean({ description: 'Always false; a comment that is held gets 202 instead.', examples: [false] }),
    issue: IssueState,
  },
  { title: 'WrittenComment' },
)
export type WrittenComment = Static<typeof WrittenComment>

interface CheckedClosing {
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
