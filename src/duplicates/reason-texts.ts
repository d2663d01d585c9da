import type { Language } from '../errors/texts/languages.ts'

interface ReasonTexts {
  readonly sameSpot: string
  readonly metresAway: string
  readonly away: (distance: string) => string
  readonly sameKind: string
  readonly similarKind: string
  readonly similarWords: string
  readonly sameWords: string
}

/** The message with a number is an ICU message. */
export const reasonTexts: Readonly<Record<Language, ReasonTexts>> = {
  en: {
    sameSpot: 'at the same spot',
    metresAway: '{metres, number} m away',
    away: (distance) => `${distance} away`,
    sameKind: 'the same kind',
    similarKind: 'a similar kind',
    similarWords: 'similar words',
    sameWords: 'the same words',
  },
  es: {
    sameSpot: 'en el mismo punto',
    metresAway: 'a {metres, number} m',
    away: (distance) => `a ${distance}`,
    sameKind: 'del mismo tipo',
    similarKind: 'de un tipo parecido',
    similarWords: 'con palabras parecidas',
    sameWords: 'con las mismas palabras',
  },
  fr: {
    sameSpot: 'au même endroit',
    metresAway: 'à {metres, number} m',
    away: (distance) => `à ${distance}`,
    sameKind: 'du même type',
    similarKind: 'd’un type proche',
    similarWords: 'avec des mots proches',
    sameWords: 'avec les mêmes mots',
  },
}
