import { catalogue } from '../errors/texts/catalogue.ts'
import type { Language } from '../errors/texts/languages.ts'
import { text, type Text } from '../errors/texts/text.ts'
import type { Status } from './status.ts'

const codes = {
  Open: 'status_open',
  Acknowledged: 'status_acknowledged',
  Closed: 'status_closed',
  Archived: 'status_archived',
} as const satisfies Record<Status, string>

export const statusText = (status: Status): Text => text(codes[status])

export const statusName = (status: Status, language: Language): string => catalogue[codes[status]][language]
