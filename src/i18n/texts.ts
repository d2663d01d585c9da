import type { Language } from './languages.ts'

/** What a text is in every language but English, which is its key. */
export type Translations = Readonly<Record<Exclude<Language, 'en'>, string>>

/**
 * Error texts by the English one, as the code writes it. What the code fills in has a name in braces: `{name}` is kept as it is, `{max, number}`
 * is a number that each language writes in its own way, `{phrase}` is a text of the catalogue again. Translations are ICU messages.
 */
export type Texts = Readonly<Record<string, Translations>>
