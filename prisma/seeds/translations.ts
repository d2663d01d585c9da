import { readFileSync } from 'node:fs'

import type { QuestionTexts } from '../../src/request-types/schema.ts'

/** The languages of the demo besides English, in the order of the texts in translations.json. */
const languages = ['es', 'fr'] as const

const translated = JSON.parse(readFileSync(new URL('translations.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>

/** Returns the column `translations` of a row. @throws Error if a text has no translation */
export const toTranslations = (fields: (translate: (text: string) => string) => QuestionTexts | Readonly<Record<string, string>>) =>
  JSON.stringify(Object.fromEntries(languages.map((language, index) => [language, fields((text) => findTranslation(text, index))])))

function findTranslation(text: string, index: number): string {
  const found = translated[text]?.[index]
  if (found === undefined) throw new Error(`translations.json has no translation of: ${text}`)
  return found
}
