import type { Texts } from '../../locales/texts.ts'

/** Returns the code of a reason that no longer exists. */
export const reasonText = (texts: Texts, reason: string): string => texts.section('moderation.reasons')[reason] ?? reason
