import type { Language } from './texts.ts'

/** Texts of an operator in further languages. A language has all fields or is missing. */
export type Translations<Fields> = Readonly<Partial<Record<Language, Fields>>>

interface Translated<Fields> {
  readonly texts: Fields
  /** The language of the texts (BCP 47). */
  readonly language: string
}

/** Returns the texts in the wanted language, else in their own. Null wants their own. */
export function translate<Fields>(
  own: Translated<Fields>,
  translations: Translations<Fields> | null,
  wanted: Language | null,
): Translated<Fields> {
  const texts = wanted === null || wanted === own.language ? undefined : translations?.[wanted]
  return texts === undefined || wanted === null ? own : { texts, language: wanted }
}
