import type { EmailChange } from '../../accounts/emails/changes.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type Sentence = (email: SafeHtml) => SafeHtml

export interface RevertTexts {
  readonly title: string
  readonly description: string
  readonly happened: Readonly<Record<EmailChange, Sentence>>
  readonly consequence: Readonly<Record<EmailChange, string>>
  readonly confirm: string
  readonly nothingHappened: string
  readonly doneTitle: string
  readonly doneDescription: string
  /** The subject of `reverted` if the address is unknown. */
  readonly theAddress: string
  readonly reverted: Readonly<Record<EmailChange, Sentence>>
  readonly sessionsEnded: string
  readonly nextStep: string
  readonly choosePassword: string
  readonly account: string
  readonly invalidTitle: string
  readonly invalidDescription: string
  readonly invalid: string
}

const english = {
  removal:
    'If you undo this, the address does not belong to your account any more, and all sessions and tokens of the account end: you must log in again everywhere.',
  removed: (email: SafeHtml) => html`${email} does not belong to your account any more.`,
}
const spanish = {
  removal:
    'Si lo deshaces, la dirección deja de pertenecer a tu cuenta y terminan todas las sesiones y claves: tendrás que iniciar sesión de nuevo en todas partes.',
  removed: (email: SafeHtml) => html`${email} ya no pertenece a tu cuenta.`,
}
const french = {
  removal:
    'Si vous annulez ce changement, l’adresse n’appartient plus à votre compte, et toutes les sessions et tous les jetons du compte prennent fin : vous devrez vous reconnecter partout.',
  removed: (email: SafeHtml) => html`${email} n’appartient plus à votre compte.`,
}

export const revertTexts: Readonly<Record<Language, RevertTexts>> = {
  en: {
    title: 'Undo the change',
    description: 'Undo a change of your e-mail addresses with one button.',
    happened: {
      'user.email_added': (email) => html`${email} was added to your account.`,
      'user.email_confirmed': (email) => html`${email} was confirmed for your account.`,
      'user.email_removed': (email) => html`${email} was removed from your account.`,
    },
    consequence: {
      'user.email_added': english.removal,
      'user.email_confirmed': english.removal,
      'user.email_removed':
        'If you undo this, the address belongs to your account again, and all sessions and tokens of the account end: you must log in again everywhere.',
    },
    confirm: 'Yes, undo it',
    nothingHappened: 'If the change was yours, close the page: nothing has happened yet.',
    doneTitle: 'The change is undone',
    doneDescription: 'What to do next to keep your account safe.',
    theAddress: 'The address',
    reverted: {
      'user.email_added': english.removed,
      'user.email_confirmed': english.removed,
      'user.email_removed': (email) => html`${email} belongs to your account again.`,
    },
    sessionsEnded: 'All sessions and tokens of that time have ended.',
    nextStep:
      'If the change was not yours, choose a new password, and then look whether your account has addresses that you do not know.',
    choosePassword: 'Choose a new password',
    account: 'Your account',
    invalidTitle: 'This link does not work any more',
    invalidDescription: 'What to do when the link of a mail does not work.',
    invalid:
      'It may be older than seven days, the address may belong to another account by now, or the change was undone with the link of another mail. Perhaps the mail program has broken the link in two: then copy all of it into the browser.',
  },
  es: {
    title: 'Deshacer el cambio',
    description: 'Deshaz con un botón un cambio de tus direcciones de correo.',
    happened: {
      'user.email_added': (email) => html`Se ha añadido ${email} a tu cuenta.`,
      'user.email_confirmed': (email) => html`Se ha confirmado ${email} para tu cuenta.`,
      'user.email_removed': (email) => html`Se ha quitado ${email} de tu cuenta.`,
    },
    consequence: {
      'user.email_added': spanish.removal,
      'user.email_confirmed': spanish.removal,
      'user.email_removed':
        'Si lo deshaces, la dirección vuelve a tu cuenta y terminan todas las sesiones y claves: tendrás que iniciar sesión de nuevo en todas partes.',
    },
    confirm: 'Sí, deshacerlo',
    nothingHappened: 'Si el cambio fue tuyo, cierra la página: todavía no ha pasado nada.',
    doneTitle: 'El cambio se ha deshecho',
    doneDescription: 'Qué hacer ahora para mantener segura tu cuenta.',
    theAddress: 'La dirección',
    reverted: {
      'user.email_added': spanish.removed,
      'user.email_confirmed': spanish.removed,
      'user.email_removed': (email) => html`${email} pertenece de nuevo a tu cuenta.`,
    },
    sessionsEnded: 'Han terminado todas las sesiones y claves que había entonces.',
    nextStep: 'Si el cambio no fue tuyo, elige una contraseña nueva y mira después si tu cuenta tiene direcciones que no conoces.',
    choosePassword: 'Elegir una contraseña nueva',
    account: 'Tu cuenta',
    invalidTitle: 'Este enlace ya no funciona',
    invalidDescription: 'Qué hacer cuando el enlace de un correo no funciona.',
    invalid:
      'Puede que tenga más de siete días, que la dirección pertenezca ya a otra cuenta o que el cambio se haya deshecho con el enlace de otro correo. Quizá tu programa de correo haya partido el enlace: en ese caso, cópialo entero en el navegador.',
  },
  fr: {
    title: 'Annuler le changement',
    description: 'Annulez d’un bouton un changement de vos adresses e-mail.',
    happened: {
      'user.email_added': (email) => html`${email} a été ajoutée à votre compte.`,
      'user.email_confirmed': (email) => html`${email} a été confirmée pour votre compte.`,
      'user.email_removed': (email) => html`${email} a été retirée de votre compte.`,
    },
    consequence: {
      'user.email_added': french.removal,
      'user.email_confirmed': french.removal,
      'user.email_removed':
        'Si vous annulez ce changement, l’adresse appartient de nouveau à votre compte, et toutes les sessions et tous les jetons du compte prennent fin : vous devrez vous reconnecter partout.',
    },
    confirm: 'Oui, l’annuler',
    nothingHappened: 'Si le changement vient de vous, fermez la page : rien ne s’est encore passé.',
    doneTitle: 'Le changement est annulé',
    doneDescription: 'Que faire maintenant pour protéger votre compte.',
    theAddress: 'L’adresse',
    reverted: {
      'user.email_added': french.removed,
      'user.email_confirmed': french.removed,
      'user.email_removed': (email) => html`${email} appartient de nouveau à votre compte.`,
    },
    sessionsEnded: 'Toutes les sessions et tous les jetons de ce moment ont pris fin.',
    nextStep:
      'Si le changement ne vient pas de vous, choisissez un nouveau mot de passe, puis regardez si votre compte a des adresses que vous ne connaissez pas.',
    choosePassword: 'Choisir un nouveau mot de passe',
    account: 'Votre compte',
    invalidTitle: 'Ce lien ne fonctionne plus',
    invalidDescription: 'Que faire quand le lien d’un courriel ne fonctionne pas.',
    invalid:
      'Il a peut-être plus de sept jours, l’adresse appartient peut-être déjà à un autre compte, ou le changement a été annulé avec le lien d’un autre courriel. Votre programme de messagerie a peut-être coupé le lien : dans ce cas, copiez-le en entier dans le navigateur.',
  },
}
