import { text, type Text } from '../../locales/texts.ts'
import { Problem, problems } from '../../errors/problems.ts'
import { type FormValues, readText } from '../../html/form.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { isBlankText, isId } from '../../http/schema/fields.ts'
import { approveItem, rejectItem } from '../../moderation/decide.ts'
import { parseReason } from '../../moderation/parse-decision.ts'
import { REASON_MAX, type ModerationItem } from '../../moderation/schema.ts'
import type { Services } from '../../services.ts'
import { isFullyShown, itemChoice } from './moderation-subject.ts'

/** The number of items on a page of the list. */
export const SEVERAL_MAX = 20

interface SeveralDecision {
  readonly decision: 'approved' | 'rejected'
  /** The values of the checkboxes, from `itemChoice`. */
  readonly choices: readonly string[]
  readonly reason: string | null
}

interface LeftItem {
  readonly id: number
  readonly item: ModerationItem | undefined
  readonly reason: Text
}

export interface SeveralResult {
  readonly decision: 'approved' | 'rejected'
  readonly decided: number
  readonly left: readonly LeftItem[]
}

/** Reads the form. @throws Problem 422 that names the field */
export function parseSeveralDecision(values: FormValues): SeveralDecision {
  const decision = readText(values, 'decision')
  if (decision !== 'approve' && decision !== 'reject')
    throw problems.invalid({ decision: text('must_be', { allowed: 'approve, reject' }) })
  const choices = readChoices(values)
  if (choices.length === 0) throw problems.invalid({ base: text('items_missing') })
  if (choices.length > SEVERAL_MAX) throw problems.invalid({ base: text('too_many_items', { max: SEVERAL_MAX }) })
  if (decision === 'approve') return { decision: 'approved', choices, reason: null }
  return { decision: 'rejected', choices, reason: parseRequiredReason(values) }
}

/** @throws Problem 422 `{reason}`; the API allows a rejection without a reason, the pages do not */
export function parseRequiredReason(values: FormValues): string {
  const reason = readText(values, 'reason').replaceAll('\r\n', '\n')
  if (isBlankText(reason)) throw problems.invalid({ reason: text('rejection_reason_missing') })
  if (reason.length > REASON_MAX) throw problems.invalid({ reason: text('has_too_many_characters', { max: REASON_MAX }) })
  return parseReason({ reason }) ?? reason
}

export function readChoices(values: FormValues): string[] {
  const items = [values['items']].flat().filter((value): value is string => typeof value === 'string')
  return [...new Set(items.filter((choice) => /^\d{1,10}-[\w-]+$/.test(choice) && isId(Number.parseInt(choice, 10))))]
}

interface Moderation {
  readonly by: Viewer
  readonly request_id: string
  readonly readItem: (id: number) => Promise<ModerationItem>
}

/** Decides each item in a transaction of its own. Items that cannot be decided are left, with the reason. */
export async function decideSeveral(
  { db, clock }: Services,
  { decision, choices, reason }: SeveralDecision,
  { by, request_id, readItem }: Moderation,
): Promise<SeveralResult> {
  const left: LeftItem[] = []
  for (const choice of choices) {
    const id = Number.parseInt(choice, 10)
    let item: ModerationItem | undefined
    try {
      item = await readItem(id)
      checkItem(item, choice, decision)
      const input = { item_id: id, by, now: clock(), request_id }
      await db.transaction((tx) => (decision === 'approved' ? approveItem(tx, input) : rejectItem(tx, { ...input, reason })))
    } catch (error) {
      left.push({ id, item, reason: toReason(error) })
    }
  }
  return { decision, decided: choices.length - left.length, left }
}

/** `approveItem` and `rejectItem` refuse own items and items that were decided, with better reasons. */
function checkItem(item: ModerationItem, choice: string, decision: SeveralDecision['decision']): void {
  if (item.approve_url === null) return
  if (itemChoice(item) !== choice) throw problems.invalid({ base: text('item_changed') })
  if (decision === 'approved' && !isFullyShown(item)) throw problems.invalid({ base: text('item_not_fully_shown') })
}

/** @throws every error other than a refusal */
function toReason(error: unknown): Text {
  if (!(error instanceof Problem) || error.status >= 500) throw error
  if (error.body.kind === 'message') return error.body.message
  const [first] = Object.values(error.body.fields).flat()
  if (!first) throw error
  return first
}
