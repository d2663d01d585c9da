import { IntlMessageFormat } from 'intl-messageformat'

import { catalogue } from './catalogue.ts'
import type { Language } from './languages.ts'
import type { Text } from './text.ts'

export function inLanguage({ code, parameters }: Text, language: Language): string {
  const values = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'object' ? inLanguage(value, language) : value,
  ])
  return formatMessage(catalogue[code][language], Object.fromEntries(values) as Record<string, string>, language)
}

/** Formats an ICU message of the catalogue or of the texts of a page: `{count, plural, one {# issue} other {# issues}}`. */
export function formatMessage(message: string, values: Readonly<Record<string, string | number>>, language: Language): string {
  return findFormat(message, language).format(values) as string
}

/** Parsed messages, because parsing takes longer than formatting. The texts of the service bound their number. */
const formats = new Map<string, IntlMessageFormat>()

function findFormat(message: string, language: Language): IntlMessageFormat {
  const name = `${language} ${message}`
  const format = formats.get(name) ?? new IntlMessageFormat(message, language, undefined, { ignoreTag: true })
  formats.set(name, format)
  return format
}
