import type { Language } from '../../errors/texts/languages.ts'
import type { ModerationTexts } from './moderation-text-types.ts'
import { en } from './moderation-texts-en.ts'
import { es } from './moderation-texts-es.ts'
import { fr } from './moderation-texts-fr.ts'

export const moderationTexts: Readonly<Record<Language, ModerationTexts>> = { en, es, fr }

/** Returns the code of a reason that no longer exists. */
export const reasonText = ({ reasons }: ModerationTexts, reason: string): string =>
  (reasons as Readonly<Record<string, string>>)[reason] ?? reason
