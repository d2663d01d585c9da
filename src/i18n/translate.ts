import { IntlMessageFormat } from 'intl-messageformat'

import { catalogue } from './catalogue.ts'
import type { Language } from './languages.ts'
import type { Translations } from './texts.ts'

/*
 * The code writes English and nothing else. What goes out in another language is looked up here by its English, as gettext does; what was
 * filled in is found again by the pattern of the key. So a text is one line where it is thrown, and one entry in the catalogue.
 */

/** A text that the catalogue knows, and what was filled into it. */
interface Known {
  readonly key: string
  readonly translations: Translations
  readonly values: Readonly<Record<string, string | number | Known>>
}

interface Pattern {
  readonly key: string
  readonly expression: RegExp
  readonly numbers: ReadonlySet<string>
  readonly translations: Translations
}

const PARAMETER = /\{(\w+)(, number)?\}/g

const parametersOf = (key: string) => [...key.matchAll(PARAMETER)].map(([, name = '', number]) => ({ name, isNumber: !!number }))

/** Of two that fit, the one that says more itself comes first. */
const patterns: readonly Pattern[] = Object.entries(catalogue)
  .filter(([key]) => parametersOf(key).length > 0)
  .sort(([a], [b]) => b.replaceAll(PARAMETER, '').length - a.replaceAll(PARAMETER, '').length)
  .map(([key, translations]) => ({
    key,
    expression: expressionOf(key),
    numbers: new Set(parametersOf(key).flatMap(({ name, isNumber }) => (isNumber ? [name] : []))),
    translations,
  }))

/** The whole text of a key, its parameters as named groups; the second time a name stands for the same again. */
function expressionOf(key: string): RegExp {
  const seen = new Set<string>()
  const parts = key.split(/(\{\w+(?:, number)?\})/).map((part) => {
    const [parameter] = parametersOf(part)
    if (!parameter) return RegExp.escape(part)
    const { name, isNumber } = parameter
    if (seen.has(name)) return String.raw`\k<${name}>`
    seen.add(name)
    return `(?<${name}>${isNumber ? String.raw`-?\d[\d,]*(?:\.\d+)?` : '.*?'})`
  })
  return new RegExp(`^${parts.join('')}$`, 's')
}

function find(text: string): Known | undefined {
  const translations = Object.hasOwn(catalogue, text) ? catalogue[text] : undefined
  if (translations) return { key: text, translations, values: {} }
  for (const { key, expression, numbers, translations } of patterns) {
    const given = Object.entries(expression.exec(text)?.groups ?? {})
    const values = given.map(([name, value]) => [name, numbers.has(name) ? numberOf(value) : valueOf(name, value)] as const)
    if (values.length > 0 && values.every(([, value]) => value !== undefined)) {
      return { key, translations, values: Object.fromEntries(values) as Known['values'] }
    }
  }
  return undefined
}

const valueOf = (name: string, value: string) => (name === 'phrase' ? find(value) : value)
const numberOf = (text: string) => Number(text.replaceAll(',', ''))

function write({ translations, values }: Known, language: Exclude<Language, 'en'>): string {
  const filled = Object.entries(values).map(([name, value]) => [name, typeof value === 'object' ? write(value, language) : value])
  return formatOf(translations[language], language).format(Object.fromEntries(filled) as Record<string, string | number>) as string
}

/** As many as the catalogue has texts. */
const formats = new Map<string, IntlMessageFormat>()

function formatOf(message: string, language: Language): IntlMessageFormat {
  const name = `${language} ${message}`
  const format = formats.get(name) ?? new IntlMessageFormat(message, language, undefined, { ignoreTag: true })
  formats.set(name, format)
  return format
}

/** The entries that make up a text; none where the catalogue does not have it. Tests ask it of every failure that is answered. */
export function keysOf(text: string): readonly string[] {
  const known = find(text)
  return known ? keysIn(known) : []
}

const keysIn = ({ key, values }: Known): string[] => [
  key,
  ...Object.values(values).flatMap((value) => (typeof value === 'object' ? keysIn(value) : [])),
]

/** A text that the code wrote in English; what the catalogue does not have stays as it is. */
export function translate(text: string, language: Language): string {
  if (language === 'en') return text
  const known = find(text)
  return known ? write(known, language) : text
}
