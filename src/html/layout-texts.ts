import { html, type SafeHtml } from './template.ts'
import type { Language } from '../errors/texts/languages.ts'

export interface LayoutTexts {
  readonly skip: string
  readonly main: string
  readonly report: string
  readonly places: string
  /** Only moderators see this link. */
  readonly moderation: string
  readonly account: string
  readonly logIn: string
  readonly logOut: string
  readonly register: string
  readonly language: string
  readonly footer: (licence: SafeHtml, reference: (text: string) => SafeHtml) => SafeHtml
}

export const layoutTexts: Readonly<Record<Language, LayoutTexts>> = {
  en: {
    skip: 'Skip to the content',
    main: 'Main',
    report: 'Report',
    places: 'Places',
    moderation: 'Moderation',
    account: 'Your account',
    logIn: 'Log in',
    logOut: 'Log out',
    register: 'Register',
    language: 'Language',
    footer: (licence, reference) => html`The data is licensed under ${licence}.
Everything on these pages is also available as JSON: see the ${reference('API reference')}.`,
  },
  es: {
    skip: 'Saltar al contenido',
    main: 'Principal',
    report: 'Reportar',
    places: 'Lugares',
    moderation: 'Moderación',
    account: 'Tu cuenta',
    logIn: 'Iniciar sesión',
    logOut: 'Cerrar sesión',
    register: 'Registrarse',
    language: 'Idioma',
    footer: (licence, reference) => html`Los datos tienen la licencia ${licence}.
Todo lo que hay en estas páginas también está disponible como JSON: consulta la ${reference('referencia de la API')}.`,
  },
  fr: {
    skip: 'Aller au contenu',
    main: 'Principal',
    report: 'Signaler',
    places: 'Lieux',
    moderation: 'Modération',
    account: 'Votre compte',
    logIn: 'Se connecter',
    logOut: 'Se déconnecter',
    register: 'S’inscrire',
    language: 'Langue',
    footer: (licence, reference) => html`Les données sont sous licence ${licence}.
Tout ce qui se trouve sur ces pages existe aussi en JSON : consultez la ${reference('référence de l’API')}.`,
  },
}
