import type { Language } from '../errors/texts/languages.ts'

export interface PagerTexts {
  readonly pages: string
  readonly previous: string
  readonly next: string
  readonly pageOf: (page: string, pages: string) => string
}

export const pagerTexts: Readonly<Record<Language, PagerTexts>> = {
  en: { pages: 'Pages', previous: 'Previous', next: 'Next', pageOf: (page, pages) => `Page ${page} of ${pages}` },
  es: { pages: 'Páginas', previous: 'Anterior', next: 'Siguiente', pageOf: (page, pages) => `Página ${page} de ${pages}` },
  fr: { pages: 'Pages', previous: 'Précédent', next: 'Suivant', pageOf: (page, pages) => `Page ${page} sur ${pages}` },
}
