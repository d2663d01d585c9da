import type { Language } from '../../errors/texts/languages.ts'

export interface DuplicateTexts {
  readonly thisOne: string
  readonly thisOneHint: string
  readonly isYours: string
  readonly reported: (ago: string) => string
  /** The name of the button for screen readers. */
  readonly thisOneIs: (summary: string) => string
}

export const duplicateTexts: Readonly<Record<Language, DuplicateTexts>> = {
  en: {
    thisOne: 'It’s this one',
    thisOneHint: '“It’s this one” votes for the issue and follows it, so that you get mails about it.',
    isYours: 'This is your own report.',
    reported: (ago) => `reported ${ago}`,
    thisOneIs: (summary) => `It’s this one: ${summary}`,
  },
  es: {
    thisOne: 'Es este',
    thisOneHint: '«Es este» vota por el reporte y lo sigue, para que recibas correos sobre él.',
    isYours: 'Este reporte es tuyo.',
    reported: (ago) => `reportado ${ago}`,
    thisOneIs: (summary) => `Es este: ${summary}`,
  },
  fr: {
    thisOne: 'C’est celui-ci',
    thisOneHint: '« C’est celui-ci » vote pour le signalement et le suit : vous recevez des e-mails à son sujet.',
    isYours: 'C’est votre propre signalement.',
    reported: (ago) => `signalé ${ago}`,
    thisOneIs: (summary) => `C’est celui-ci : ${summary}`,
  },
}
