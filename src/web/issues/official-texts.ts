import type { Language } from '../../errors/texts/languages.ts'

export interface OfficialTexts {
  /** Before the name of an organisation, or alone. */
  readonly official: string
  readonly verifiedOfficial: string
  readonly admin: string
}

export const officialTexts: Readonly<Record<Language, OfficialTexts>> = {
  en: { official: 'Official', verifiedOfficial: 'Verified official', admin: 'Administrator' },
  es: { official: 'Oficial', verifiedOfficial: 'Cargo oficial verificado', admin: 'Administración' },
  fr: { official: 'Officiel', verifiedOfficial: 'Agent public vérifié', admin: 'Administrateur' },
}
