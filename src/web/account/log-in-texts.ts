import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type Link = (text: string) => SafeHtml

export interface LogInTexts {
  readonly title: string
  readonly description: string
  readonly email: string
  readonly password: string
  readonly forgotten: (reset: Link) => SafeHtml
  readonly noAccount: (register: Link) => SafeHtml
}

export const logInTexts: Readonly<Record<Language, LogInTexts>> = {
  en: {
    title: 'Log in',
    description: 'Log in to report what is broken, to comment and to follow.',
    email: 'E-mail address',
    password: 'Password',
    forgotten: (reset) => html`Forgotten your password? ${reset('Choose a new one')}`,
    noAccount: (register) => html`No account yet? ${register('Register')}`,
  },
  es: {
    title: 'Iniciar sesión',
    description: 'Inicia sesión para reportar lo que está roto, comentar y seguir.',
    email: 'Dirección de correo',
    password: 'Contraseña',
    forgotten: (reset) => html`¿Has olvidado tu contraseña? ${reset('Elige una nueva')}`,
    noAccount: (register) => html`¿Todavía no tienes cuenta? ${register('Regístrate')}`,
  },
  fr: {
    title: 'Se connecter',
    description: 'Connectez-vous pour signaler ce qui est cassé, commenter et suivre.',
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    forgotten: (reset) => html`Mot de passe oublié ? ${reset('Choisissez-en un nouveau')}`,
    noAccount: (register) => html`Pas encore de compte ? ${register('Inscrivez-vous')}`,
  },
}
