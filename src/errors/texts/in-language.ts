import { IntlMessageFormat } from 'intl-messageformat'

import { catalogue } from './catalogue.ts'
import type { Language } from './languages.ts'
import type { Text } from './text.ts'

export function inLanguage({ code, parameters }: Text, language: Language): string {
  const values = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'object' ? inLanguage(value, language) : value,
  ])
  return findFormat(catalogue[code][language], language).format(Object.fromEntries(values) as Record<string, string>) as string
}

/** Parsed messages, because parsing takes longer than formatting. The catalogue bounds their number. */
const formats = new Map<string, IntlMessageFormat>()

function findFormat(message: string, language: Language): IntlMessageFormat {
  const name = `${language} ${message}`
  const format = formats.get(name) ?? new IntlMessageFormat(message, language, undefined, { ignoreTag: true })
  formats.set(name, format)
  return format
}
