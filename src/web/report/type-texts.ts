import type { Language } from '../../errors/texts/languages.ts'

export interface TypeTexts {
  readonly whatIsBroken: string
  readonly example: string
  readonly find: string
  readonly matches: string
  readonly noMatch: string
  readonly all: string
}

export const typeTexts: Readonly<Record<Language, TypeTexts>> = {
  en: {
    whatIsBroken: 'What is broken?',
    example: 'Hole in the road',
    find: 'Find',
    matches: 'Types that match',
    noMatch: 'No type matches these words. Choose one below; “Other” always fits.',
    all: 'All types at this spot',
  },
  es: {
    whatIsBroken: '¿Qué está roto?',
    example: 'Hoyo en la calle',
    find: 'Buscar',
    matches: 'Tipos que coinciden',
    noMatch: 'Ningún tipo coincide con estas palabras. Elige uno de abajo; «Otro» siempre sirve.',
    all: 'Todos los tipos en este punto',
  },
  fr: {
    whatIsBroken: 'Qu’est-ce qui est cassé ?',
    example: 'Nid-de-poule',
    find: 'Chercher',
    matches: 'Types correspondants',
    noMatch: 'Aucun type ne correspond à ces mots. Choisissez ci-dessous ; « Autre » convient toujours.',
    all: 'Tous les types à cet endroit',
  },
}
