import type { Language } from './languages.ts'

/** ICU messages in every language, by their codes. */
export type Messages = Readonly<Record<string, Readonly<Record<Language, string>>>>
