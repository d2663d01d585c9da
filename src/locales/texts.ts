import { IntlMessageFormat } from 'intl-messageformat'
import { readdirSync, readFileSync } from 'node:fs'
import { join, parse } from 'node:path'

import type en from './en.json'

/*
 * Texts for people are ICU messages in a JSON file for each language, next to this file. A new file is a new language. A message that a
 * language lacks is shown in English.
 */

/** The name of a file without `.json`, such as `fr`. */
export type Language = string

/** The languages that have a file, English first. */
export const languages: readonly Language[] = readdirSync(import.meta.dirname)
  .flatMap((file) => (file.endsWith('.json') ? [parse(file).name] : []))
  .toSorted((a, b) => Number(b === 'en') - Number(a === 'en') || a.localeCompare(b))

/** Returns the language of a locale (BCP 47): 'es-MX' is Spanish, and unsupported languages are English. */
export function languageOf(locale: string): Language {
  const [primary = ''] = locale.toLowerCase().split(/[-_]/)
  return languages.find((language) => language === primary) ?? 'en'
}

type Tree = string | readonly Tree[] | { readonly [name: string]: Tree }

type KeysOf<T, Start extends string = ''> = {
  [Name in keyof T & string]-?: KeysAt<NonNullable<T[Name]>, `${Start}${Name}`>
}[keyof T & string]

type KeysAt<T, Path extends string> = T extends string
  ? Path
  : T extends readonly (infer Item)[]
    ? KeysAt<Item, `${Path}.${number}`>
    : KeysOf<T, `${Path}.`>

type ListsOf<T, Start extends string = ''> = {
  [Name in keyof T & string]-?: ListsAt<NonNullable<T[Name]>, `${Start}${Name}`>
}[keyof T & string]

type ListsAt<T, Path extends string> = T extends string
  ? never
  : T extends readonly (infer Item)[]
    ? Item extends string
      ? Path
      : ListsAt<Item, `${Path}.${number}`>
    : ListsOf<T, `${Path}.`>

/** The path of a message in en.json: `report.steps.title`. */
export type Key = KeysOf<typeof en>

/** A path above messages: `report.steps`. */
export type Section = Above<Key>

type Above<Path> = Path extends `${infer First}.${infer Rest}` ? First | `${First}.${Above<Rest>}` : never

/** The path of a list of messages, such as the paragraphs of a mail. */
type ListKey = ListsOf<typeof en>

export type Values = Readonly<Record<string, string | number>>

/** The texts of one language. Values are inserted as they are: a template escapes the result. */
export interface Texts {
  /** @throws FormatError if a value is missing */
  (key: Key, values?: Values): string
  readonly language: Language
  /** Returns all messages of a list. */
  list(key: ListKey, values?: Values): string[]
  /** Returns the messages below a path as they are, by the rest of their keys, for scripts and for names that may be unknown. */
  section(path: Section): Readonly<Record<string, string>>
  /** Returns the parts of a message with tags or with values that are no strings (html/rich-text.ts). */
  parts<Part extends object>(key: Key, values: Readonly<Record<string, PartValue<Part>>>): (string | Part)[]
}

export type PartValue<Part> = string | number | Part | ((content: (string | Part)[]) => Part)

const kept = new Map<Language, Texts>()

export function textsIn(language: Language): Texts {
  const known = kept.get(language)
  if (known) return known
  const texts = createTexts(language)
  kept.set(language, texts)
  return texts
}

function createTexts(language: Language): Texts {
  const sources = new Map([...readMessages('en'), ...readMessages(language)])
  const messages = new Map<string, string | IntlMessageFormat>(sources)
  const find = (key: string): string | IntlMessageFormat => {
    const message = messages.get(key)
    if (typeof message !== 'string') return message ?? raise(`no text has the key ${key}`)
    if (!/[{<']/.test(message)) return message
    // Parsing takes longer than formatting.
    const format = new IntlMessageFormat(message, language)
    messages.set(key, format)
    return format
  }
  const format = (key: string, values?: Values): string => {
    const message = find(key)
    return typeof message === 'string' ? message : (message.format(values) as string)
  }
  const list = (key: string, values?: Values, n = 0): string[] =>
    messages.has(`${key}.${n}`) ? [format(`${key}.${n}`, values), ...list(key, values, n + 1)] : []
  const section = (path: string) =>
    Object.fromEntries(
      [...messages.keys()].flatMap((key) =>
        key.startsWith(`${path}.`) ? [[key.slice(path.length + 1), sources.get(key) ?? '']] : [],
      ),
    )
  const parts = <Part extends object>(key: string, values: Readonly<Record<string, PartValue<Part>>>) => {
    const message = find(key)
    if (typeof message === 'string') return [message]
    const formatted = message.format<Part>(values)
    return Array.isArray(formatted) ? formatted : [formatted]
  }
  return Object.assign(format, { language, list, parts, section })
}

/** Returns the messages of a file by their keys. */
export function readMessages(language: Language): ReadonlyMap<string, string> {
  const tree = JSON.parse(readFileSync(join(import.meta.dirname, `${language}.json`), 'utf8')) as Tree
  return new Map(flatten(tree, ''))
}

const flatten = (tree: Tree, path: string): [key: string, message: string][] =>
  typeof tree === 'string'
    ? [[path, tree]]
    : Object.entries(tree).flatMap(([name, part]) => flatten(part, path === '' ? name : `${path}.${name}`))

function raise(message: string): never {
  throw new Error(message)
}

export type Code = keyof (typeof en)['errors']

/** A message of `errors` whose language is not known yet, because the reader is not known. A value can be a text. */
export interface Text {
  readonly code: Code
  readonly values: Readonly<Record<string, string | number | Text>>
}

/** Returns a text, for example `text('too_many_words', { max: 10 })`. */
export const text = (code: Code, values: Text['values'] = {}): Text => ({ code, values })

export function inLanguage(text: Text, language: Language): string {
  return write(text, language, (code) => `errors.${code}`)
}

/** Returns a text in the words of pages: a text that names parameters, headers or formats has another one in `plain`. */
export function inPlainWords(text: Text, language: Language): string {
  const plain = textsIn(language).section('plain')
  return write(text, language, (code) => (Object.hasOwn(plain, code) ? `plain.${code}` : `errors.${code}`))
}

function write({ code, values }: Text, language: Language, keyOf: (code: Code) => string): string {
  const written = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? write(value, language, keyOf) : value,
  ])
  return textsIn(language)(keyOf(code) as Key, Object.fromEntries(written) as Values)
}
