import { IntlMessageFormat } from 'intl-messageformat'

import { catalogue } from './catalogue.ts'
import type { Language } from './languages.ts'
import type { Text } from './text.ts'

/** Writes a text, and the texts in it. Numbers stand as the readers of the language write them. */
export function inLanguage({ code, parameters }: Text, language: Language): string {
  const written = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'object' ? inLanguage(value, language) : value,
  ])
  return formatOf(catalogue[code][language], language).format(Object.fromEntries(written) as Record<string, string>) as string
}

/** As many as the catalogue has messages: reading one takes longer than writing it. */
const formats = new Map<string, IntlMessageFormat>()

function formatOf(message: string, language: Language): IntlMessageFormat {
  const name = `${language} ${message}`
  const format = formats.get(name) ?? new IntlMessageFormat(message, language, undefined, { ignoreTag: true })
  formats.set(name, format)
  return format
}
