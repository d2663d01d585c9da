import type { Language } from '../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../html/template.ts'

/** Returns a link to a path of the service or, for `licence`, to the licence of the data. */
export type LinkTo = (path: string, text: string) => SafeHtml

export interface DocumentSection {
  readonly heading: string
  readonly paragraphs?: readonly (SafeHtml | string)[]
  readonly items?: readonly (SafeHtml | string)[]
}

/** The texts of a page about the service. */
export interface DocumentTexts {
  readonly title: string
  readonly description: string
  readonly sections: (to: LinkTo, licence: SafeHtml) => readonly DocumentSection[]
}

export interface ContactTexts {
  readonly heading: string
  readonly operator: (operator: SafeHtml) => SafeHtml
  readonly none: string
}

export const contactTexts: Readonly<Record<Language, ContactTexts>> = {
  en: {
    heading: 'Contact',
    operator: (operator) => html`This site is operated by ${operator}.`,
    none: 'The operator of this site has not entered an address.',
  },
  es: {
    heading: 'Contacto',
    operator: (operator) => html`Este sitio es operado por ${operator}.`,
    none: 'El operador de este sitio no ha indicado ninguna dirección.',
  },
  fr: {
    heading: 'Nous écrire',
    operator: (operator) => html`Ce site est exploité par ${operator}.`,
    none: 'L’exploitant de ce site n’a indiqué aucune adresse.',
  },
}
