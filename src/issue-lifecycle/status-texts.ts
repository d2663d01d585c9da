import { inLanguage, type Language, text, type Text, textsIn } from '../locales/texts.ts'
import type { Outcome } from './outcomes.ts'
import type { Status } from './status.ts'

const codes = {
  Open: 'status_open',
  Acknowledged: 'status_acknowledged',
  Closed: 'status_closed',
  Archived: 'status_archived',
} as const satisfies Record<Status, string>

export const statusText = (status: Status): Text => text(codes[status])

export const statusName = (status: Status, language: Language): string => inLanguage(statusText(status), language)

export const outcomeName = (outcome: Outcome, language: Language): string => textsIn(language)(`outcome.${outcome}`)
