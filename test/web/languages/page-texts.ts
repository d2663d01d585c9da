import { IntlMessageFormat } from 'intl-messageformat'
import { type Language, readMessages } from '../../../src/locales/texts.ts'

/** Names, keys of the keyboard and types of places that are the same in all languages, and content of tests that the content policy refuses. */
const NAMES =
  /Fixpoint|Denver|City|\S+@example\.org|Asshole|You asshole|Fucking bench|0 Church St|English|Español|Français|CC BY-NC-SA 0 US|API|JSON|YouTube|XML|PNG|CSV|JPEG|GIF|UTC|GeoJSON|MultiPolygon|Polygon|"type"|"coordinates"|^[a-z]$|https?:\S+/g
/** A text with several words and this length is searched inside of others, which may be joined from texts in two languages. */
const LONG_LENGTH = 12

interface TextPattern {
  /** A text without this part does not match, which is found faster. */
  readonly part: string
  readonly pattern: RegExp
}

export interface PageTexts {
  /** Complete text nodes without values. */
  readonly constant: ReadonlySet<string>
  /** Patterns of complete text nodes with values. */
  readonly whole: readonly TextPattern[]
  /** Patterns of long texts anywhere in a text node. */
  readonly long: readonly TextPattern[]
}

/** Sections of messages that are no texts of pages. */
const OTHERS = /^(?:errors|language|mails|issueMail|questionMail|watchMail)\./

/** Returns the texts of all pages in a language. */
export const readTexts = (language: Language): readonly string[] =>
  [...readMessages(language)].flatMap(([key, message]) => (OTHERS.test(key) ? [] : listForms(message, language)))

/** Returns patterns of the texts of all pages. */
export function readPageTexts(): Readonly<Record<'en' | 'es' | 'fr', PageTexts>> {
  return { en: toPageTexts(readTexts('en')), es: toPageTexts(readTexts('es')), fr: toPageTexts(readTexts('fr')) }
}

function toPageTexts(forms: readonly string[]): PageTexts {
  const texts = [...new Set(forms.flatMap(listTexts))].filter((text) => /\p{L}{2}/u.test(text))
  const long = texts
    .map((text) => text.replaceAll(VALUE, ' ').trim())
    .filter((text) => text.length >= LONG_LENGTH && /\s/.test(text))
  return {
    constant: new Set(texts.filter((text) => !text.includes(VALUE))),
    whole: texts.filter((text) => text.includes(VALUE)).map((text) => toPattern(text.split(VALUE), (parts) => `^${parts}$`)),
    long: long.map((text) => toPattern(text.split(/\s+/), (parts) => `(?<!\\p{L})${parts}(?!\\p{L})`)),
  }
}

const toPattern = (parts: readonly string[], within: (parts: string) => string): TextPattern => ({
  part: parts.reduce((longest, part) => (part.length > longest.length ? part : longest), ''),
  pattern: new RegExp(within(parts.map(escape).join('.+?')), 'u'),
})

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Stands for a value in a text, such as the name of a place. */
const VALUE = '\u{E000}'

/** Returns the forms of a message: its plurals, with `VALUE` for other values and with links for tags. */
function listForms(message: string, language: Language): string[] {
  if (!/[{<]/.test(message)) return [message]
  const format = new IntlMessageFormat(message, language)
  const counts = [...message.matchAll(/\{(\w+), (?:plural|number)/g)].map(([, name = '']) => name)
  const names = [...message.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, VALUE] as const)
  const tags = [...message.matchAll(/<(\w+)>/g)].map(([, name = '']) => [name, toLink] as const)
  return (counts.length > 0 ? [0, 1, 2, 1_234] : [0]).map((count) => {
    const values = {
      ...Object.fromEntries(names),
      ...Object.fromEntries(tags),
      ...Object.fromEntries(counts.map((name) => [name, count])),
    }
    return String(format.format<string>(values))
  })
}

const toLink = (content: readonly string[]) => `<a>${content.join('')}</a>`

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const attributes = /\b(?:alt|aria-label|title|placeholder|content|data-locating|data-not-located)="([^"]*)"/g
const untranslated = [
  /<(pre|code|svg|script)\b[^]*?<\/\1>/g,
  /<(\w+) [^>]*lang="[^"]*"[^>]*>[^<]*<\/\1>/g,
  /<!doctype html>/g,
  /<meta (?:name|property)="(?:viewport|color-scheme|theme-color|robots|og:type|og:locale|twitter:card)"[^>]*>/g,
]

/** Returns the text nodes and the attributes with text, with `0` for each number. Texts in a marked language are left out. */
export function listTexts(page: string): string[] {
  const visible = untranslated.reduce((text, part) => text.replaceAll(part, '<i>'), page)
  const inTags = [...visible.matchAll(/<[^>]*>/g)].flatMap(([tag]) => [...tag.matchAll(attributes)].map(([, text = '']) => text))
  return [...visible.split(/<[^>]*>/), ...inTags]
    .map((text) => text.replaceAll(/&\w+;|&#\d+;/g, (entity) => entities[entity] ?? entity))
    .map((text) => text.replaceAll(/\s+/g, ' ').trim())
    .map((text) => text.replaceAll(/\d+(?:[.,\u00A0\u202F]\d+)*/g, '0'))
    .filter((text) => text !== '')
}

interface PageComparison {
  readonly texts: Readonly<Record<'en' | 'es' | 'fr', PageTexts>>
  readonly language: 'en' | 'es' | 'fr'
  readonly foreign: 'en' | 'es' | 'fr'
  /** The same page in the other language: texts that both have are in one of the two only. */
  readonly foreignPage?: string
}

/** Most texts are on many pages, and a text is compared with thousands of patterns. */
const compared = new WeakMap<readonly TextPattern[], Map<string, boolean>>()

function isIn(patterns: readonly TextPattern[], text: string): boolean {
  const results = compared.get(patterns) ?? new Map<string, boolean>()
  compared.set(patterns, results)
  const result = results.get(text) ?? patterns.some(({ part, pattern }) => text.includes(part) && pattern.test(text))
  results.set(text, result)
  return result
}

const isWhole = ({ constant, whole }: PageTexts, text: string): boolean => constant.has(text) || isIn(whole, text)

/**
 * Returns the texts of a page in a language that are in another one: those of the catalogues, and those that the same page has in that
 * language. User content of a test has no Latin letters, or is in `NAMES`.
 */
export function findForeignTexts(page: string, { texts, language, foreign, foreignPage = '' }: PageComparison): string[] {
  const foreignNodes = new Set(listTexts(foreignPage))
  return listTexts(page).filter((text) => {
    if (!/\p{Script=Latin}/u.test(text.replaceAll(NAMES, ''))) return false
    const isForeign =
      foreignNodes.has(text) || isWhole(texts[foreign], text) || (text.length >= LONG_LENGTH && isIn(texts[foreign].long, text))
    return isForeign && !isWhole(texts[language], text)
  })
}
