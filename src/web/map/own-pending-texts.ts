import type { Language } from '../../errors/texts/languages.ts'

export interface OwnPendingTexts {
  readonly heading: string
  readonly hint: string
  readonly all: string
}

/** Texts for reports that wait for a review, which the map shows to their reporter. */
export const ownPendingTexts: Readonly<Record<Language, OwnPendingTexts>> = {
  en: {
    heading: 'Your reports in review',
    hint: 'Only you can see them here until a moderator has approved them.',
    all: 'All your reports',
  },
  es: {
    heading: 'Tus reportes en revisión',
    hint: 'Solo tú puedes verlos aquí hasta que un moderador los apruebe.',
    all: 'Todos tus reportes',
  },
  fr: {
    heading: 'Vos signalements en cours de vérification',
    hint: 'Vous seul pouvez les voir ici jusqu’à ce qu’un modérateur les approuve.',
    all: 'Tous vos signalements',
  },
}
