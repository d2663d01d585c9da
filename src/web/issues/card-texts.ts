import type { Language } from '../../errors/texts/languages.ts'

export interface CardTexts {
  readonly shape: (place: string) => string
  readonly contains: string
  readonly containsNot: string
  /** An ICU message. */
  readonly openIssues: string
}

export const cardTexts: Readonly<Record<Language, CardTexts>> = {
  en: {
    shape: (place) => `The shape of ${place}`,
    contains: 'Contains the point',
    containsNot: 'Does not contain the point',
    openIssues: '{count, plural, one {# open issue} other {# open issues}}',
  },
  es: {
    shape: (place) => `La forma de ${place}`,
    contains: 'Contiene el punto',
    containsNot: 'No contiene el punto',
    openIssues: '{count, plural, one {# reporte abierto} other {# reportes abiertos}}',
  },
  fr: {
    shape: (place) => `La forme de ${place}`,
    contains: 'Contient le point',
    containsNot: 'Ne contient pas le point',
    openIssues: '{count, plural, one {# signalement ouvert} other {# signalements ouverts}}',
  },
}
