import type { Language } from '../errors/texts/languages.ts'

interface OtherTexts {
  readonly title: string
  readonly summary: string
  readonly description: string
  readonly picture: string
}

export const otherTexts: Readonly<Record<Language, OtherTexts>> = {
  en: {
    title: 'Other',
    summary: 'What is the problem?',
    description: 'Tell us more about it',
    picture: 'Add a picture',
  },
  es: {
    title: 'Otro',
    summary: '¿Cuál es el problema?',
    description: 'Cuéntanos algo más',
    picture: 'Añade una imagen',
  },
  fr: {
    title: 'Autre',
    summary: 'Quel est le problème ?',
    description: 'Dites-nous-en plus',
    picture: 'Ajoutez une image',
  },
}
