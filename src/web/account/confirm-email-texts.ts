import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

export interface ConfirmEmailTexts {
  readonly title: string
  readonly description: string
  readonly question: (email: SafeHtml, owner: SafeHtml) => SafeHtml
  readonly membership: (organizations: SafeHtml) => SafeHtml
  readonly password: string
  readonly passwordHint: string
  readonly confirm: string
  readonly nothingHappened: string
  readonly doneTitle: string
  readonly doneDescription: string
  readonly done: (email: SafeHtml) => SafeHtml
  readonly nothingLeft: string
  readonly home: string
  readonly invalidTitle: string
  readonly invalidDescription: string
  readonly invalid: string
  readonly anotherMail: (request: SafeHtml) => SafeHtml
  readonly account: string
}

export const confirmEmailTexts: Readonly<Record<Language, ConfirmEmailTexts>> = {
  en: {
    title: 'Confirm your e-mail address',
    description: 'The password of the account and one button confirm the address that the mail went to.',
    question: (email, owner) =>
      html`Are ${email} and the account of ${owner} both yours? When the address is confirmed, you get mails about what you report and follow.`,
    membership: (organizations) =>
      html`With this address the account becomes a member of ${organizations}, with all rights of a member. Continue only if you created that account yourself.`,
    password: 'Password of this account',
    passwordHint: 'Another account may have entered this address: the password shows that the account is yours.',
    confirm: 'Yes, confirm this address',
    nothingHappened: 'If it is not your account, close the page: nothing has happened yet.',
    doneTitle: 'Your e-mail address is confirmed',
    doneDescription: 'The page after an address was confirmed.',
    done: (email) => html`${email} is confirmed.`,
    nothingLeft: 'There is nothing left to do.',
    home: 'Go to the home page',
    invalidTitle: 'This link does not work any more',
    invalidDescription: 'What to do when the link of a mail does not work.',
    invalid:
      'It may be older than three days, the address may have been removed from the account, or your mail program may have split the link: then copy all of it into the browser.',
    anotherMail: (request) => html`To get another mail, log in and request it in your account. Programs send ${request}.`,
    account: 'Go to your account',
  },
  es: {
    title: 'Confirma tu dirección de correo',
    description: 'La contraseña de la cuenta y un botón confirman la dirección a la que llegó el correo.',
    question: (email, owner) =>
      html`¿Son tuyas la dirección ${email} y la cuenta de ${owner}? Cuando la dirección esté confirmada, recibirás correos sobre lo que reportas y sigues.`,
    membership: (organizations) =>
      html`Con esta dirección, la cuenta pasa a ser miembro de ${organizations}, con todos los derechos de un miembro. Continúa solo si creaste tú esa cuenta.`,
    password: 'Contraseña de esta cuenta',
    passwordHint: 'Puede que otra cuenta haya indicado esta dirección: la contraseña demuestra que la cuenta es tuya.',
    confirm: 'Sí, confirmar esta dirección',
    nothingHappened: 'Si no es tu cuenta, cierra la página: todavía no ha pasado nada.',
    doneTitle: 'Tu dirección de correo está confirmada',
    doneDescription: 'La página después de confirmar una dirección.',
    done: (email) => html`La dirección ${email} está confirmada.`,
    nothingLeft: 'No tienes que hacer nada más.',
    home: 'Ir a la página de inicio',
    invalidTitle: 'Este enlace ya no funciona',
    invalidDescription: 'Qué hacer cuando el enlace de un correo no funciona.',
    invalid:
      'Puede que tenga más de tres días, que la dirección se haya quitado de la cuenta o que tu programa de correo haya partido el enlace: en ese caso, cópialo entero en el navegador.',
    anotherMail: (request) => html`Para recibir otro correo, inicia sesión y pídelo en tu cuenta. Los programas envían ${request}.`,
    account: 'Ir a tu cuenta',
  },
  fr: {
    title: 'Confirmez votre adresse e-mail',
    description: 'Le mot de passe du compte et un bouton confirment l’adresse à laquelle le courriel est arrivé.',
    question: (email, owner) =>
      html`L’adresse ${email} et le compte ${owner} sont-ils bien tous les deux à vous ? Quand l’adresse sera confirmée, vous recevrez des courriels sur ce que vous signalez et suivez.`,
    membership: (organizations) =>
      html`Avec cette adresse, le compte devient membre de ${organizations}, avec tous les droits d’un membre. Continuez seulement si vous avez créé ce compte vous-même.`,
    password: 'Mot de passe de ce compte',
    passwordHint: 'Un autre compte a pu indiquer cette adresse : le mot de passe prouve que le compte est le vôtre.',
    confirm: 'Oui, confirmer cette adresse',
    nothingHappened: 'Si ce n’est pas votre compte, fermez la page : rien ne s’est encore passé.',
    doneTitle: 'Votre adresse e-mail est confirmée',
    doneDescription: 'La page après la confirmation d’une adresse.',
    done: (email) => html`L’adresse ${email} est confirmée.`,
    nothingLeft: 'Vous n’avez plus rien à faire.',
    home: 'Aller à la page d’accueil',
    invalidTitle: 'Ce lien ne fonctionne plus',
    invalidDescription: 'Que faire quand le lien d’un courriel ne fonctionne pas.',
    invalid:
      'Il a peut-être plus de trois jours, l’adresse a peut-être été retirée du compte, ou votre programme de messagerie a coupé le lien : dans ce cas, copiez-le en entier dans le navigateur.',
    anotherMail: (request) =>
      html`Pour recevoir un autre courriel, connectez-vous et demandez-le dans votre compte. Les programmes envoient ${request}.`,
    account: 'Aller à votre compte',
  },
}
