import { globSync } from 'node:fs'
import { join } from 'node:path'

import { formatMessage } from '../../../src/errors/texts/in-language.ts'
import { type Language, languages } from '../../../src/errors/texts/languages.ts'
import { html } from '../../../src/html/template.ts'

/** Names and types of places that are the same in all languages, and content of tests that the content policy refuses. */
const NAMES =
  /Fixpoint|Denver|City|\S+@example\.org|Asshole|You asshole|Fucking bench|0 Church St|English|Español|Français|CC BY-NC-SA 0 US|API|JSON|YouTube|PNG|JPEG|GIF|UTC|GeoJSON|MultiPolygon|Polygon|"type"|"coordinates"|https?:\S+/g
/** A text with several words and this length is searched inside of others, which may be joined from texts in two languages. */
const LONG_LENGTH = 12

const root = join(import.meta.dirname, '..', '..', '..')

export interface PageTexts {
  /** Complete text nodes without values. */
  readonly constant: ReadonlySet<string>
  /** Patterns of complete text nodes with values. */
  readonly whole: readonly RegExp[]
  /** Patterns of long texts anywhere in a text node. */
  readonly long: readonly RegExp[]
}

/** Returns the texts of all pages by language: each object with `en`, `es` and `fr` that a file `*-texts.ts` exports. */
export async function readTexts(): Promise<Record<Language, readonly string[]>> {
  const files = globSync('src/**/*-texts.ts', { cwd: root })
  const modules = await Promise.all(files.map((file) => import(join(root, file)) as Promise<Record<string, unknown>>))
  const catalogues = modules.flatMap((module) => Object.values(module).filter(isCatalogue))
  const textsIn = (language: Language) => catalogues.flatMap((texts) => listForms(texts[language], language))
  return { en: textsIn('en'), es: textsIn('es'), fr: textsIn('fr') }
}

/** Returns patterns of the texts of all pages. */
export async function readPageTexts(): Promise<Record<Language, PageTexts>> {
  const { en, es, fr } = await readTexts()
  return { en: toPageTexts(en), es: toPageTexts(es), fr: toPageTexts(fr) }
}

const isCatalogue = (value: unknown): value is Record<Language, unknown> =>
  typeof value === 'object' && value !== null && languages.every((language) => Object.hasOwn(value, language))

function toPageTexts(forms: readonly string[]): PageTexts {
  const texts = [...new Set(forms.flatMap(listTexts))].filter((text) => /\p{L}{2}/u.test(text))
  const long = texts
    .map((text) => text.replaceAll(VALUE, ' ').trim())
    .filter((text) => text.length >= LONG_LENGTH && /\s/.test(text))
  return {
    constant: new Set(texts.filter((text) => !text.includes(VALUE))),
    whole: texts
      .filter((text) => text.includes(VALUE))
      .map((text) => new RegExp(`^${text.split(VALUE).map(escape).join('.+?')}$`, 'u')),
    long: long.map((text) => new RegExp(`(?<!\\p{L})${escape(text).replaceAll(/\s+/g, '.+?')}(?!\\p{L})`, 'u')),
  }
}

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Stands for a value in a text, such as the name of a place. */
const VALUE = '\u{E000}'

/** Returns the texts in an object of texts. A function or an ICU message has several forms. */
function listForms(texts: unknown, language: Language): string[] {
  if (typeof texts === 'string') return /\{\w+, (plural|number)/.test(texts) ? formatExamples(texts, language) : [texts]
  if (typeof texts === 'function') return [anyValue, null, undefined].flatMap((value) => callText(texts as TextFunction, value))
  if (texts instanceof String) return [String(texts)]
  if (typeof texts === 'object' && texts !== null) return Object.values(texts).flatMap((one) => listForms(one, language))
  return []
}

type TextFunction = (...values: unknown[]) => unknown

function callText(text: TextFunction, value: unknown): string[] {
  try {
    return [String(text(...Array<unknown>(text.length).fill(value)))]
  } catch {
    return []
  }
}

/** A value of any type that texts take: a name, an object with names, or a function that makes a link. */
const anyValue: unknown = new Proxy(() => VALUE, {
  apply: (_target, _self, [text]: unknown[]) => html`<a>${text as string}</a>`,
  get: (_target, name) => (name === Symbol.toPrimitive || name === 'toString' ? () => VALUE : anyValue),
})

function formatExamples(message: string, language: Language): string[] {
  const counts = [...message.matchAll(/\{(\w+), /g)].map(([, name = '']) => name)
  const names = [...message.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, VALUE] as const)
  return [0, 1, 2, 1_234].map((count) => {
    const values: Record<string, string | number> = Object.fromEntries([...counts.map((name) => [name, count] as const), ...names])
    return formatMessage(message, values, language)
  })
}

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const attributes = /\b(?:alt|aria-label|title|placeholder|content|data-locating|data-not-located)="([^"]*)"/g
const untranslated = [
  /<(pre|code|svg|script)\b[^]*?<\/\1>/g,
  /<(\w+) [^>]*lang="[^"]*"[^>]*>[^<]*<\/\1>/g,
  /<!doctype html>/g,
  /<meta (?:name|property)="(?:viewport|color-scheme|robots|og:type|og:locale|twitter:card)"[^>]*>/g,
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
  readonly texts: Readonly<Record<Language, PageTexts>>
  readonly language: Language
  readonly foreign: Language
  /** The same page in the other language: texts that both have are in one of the two only. */
  readonly foreignPage?: string
}

/** Most texts are on many pages, and a text is compared with thousands of patterns. */
const compared = new WeakMap<readonly RegExp[], Map<string, boolean>>()

function isIn(patterns: readonly RegExp[], text: string): boolean {
  const results = compared.get(patterns) ?? new Map<string, boolean>()
  compared.set(patterns, results)
  const result = results.get(text) ?? patterns.some((pattern) => pattern.test(text))
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
