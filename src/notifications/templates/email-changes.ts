import type { Language } from '../../errors/texts/languages.ts'
import type { MailText } from './layout.ts'
import type { AccountMailContent, AccountMailTexts } from './composed-mail.ts'
import { passwordResetHint } from './password-reset-hint.ts'

/**
 * These mails go to the other addresses of an account, because an attacker may have made the change. They contain no text
 * written by the account except the address itself.
 */

interface Change {
  readonly subject: string
  readonly happened: string
  readonly effect: string
}

interface Words {
  readonly fine: string
  readonly revert: string
  readonly once: string
  readonly account: string
  readonly otherwise: string
  readonly removed: string
}

const words: Readonly<Record<Language, Words>> = {
  en: {
    fine: 'If that was you, all is well.',
    revert: 'Take the change back',
    once: 'The link works once, for seven days. The page that it opens asks once more before anything happens.',
    account: 'See the addresses of the account',
    otherwise: 'If that was not you, choose a new password at once: it ends all other sessions and all tokens of the account.',
    removed:
      'This address does not belong to the account any more. Mails like this one still come to it for seven days after its removal.',
  },
  es: {
    fine: 'Si has sido tú, todo está bien.',
    revert: 'Deshacer el cambio',
    once: 'El enlace funciona una sola vez, durante siete días. La página que abre vuelve a preguntar antes de hacer nada.',
    account: 'Ver las direcciones de la cuenta',
    otherwise:
      'Si no has sido tú, elige enseguida una contraseña nueva: termina todas las demás sesiones y todas las claves de la cuenta.',
    removed:
      'Esta dirección ya no pertenece a la cuenta. Los correos como este siguen llegando a ella hasta siete días después de quitarla.',
  },
  fr: {
    fine: 'Si c’était vous, tout va bien.',
    revert: 'Annuler ce changement',
    once: 'Le lien fonctionne une seule fois, pendant sept jours. La page qu’il ouvre demande encore une fois avant de faire quoi que ce soit.',
    account: 'Voir les adresses du compte',
    otherwise:
      'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : il met fin à toutes les autres sessions et à tous les jetons du compte.',
    removed:
      'Cette adresse n’appartient plus au compte. Les courriels comme celui-ci y arrivent encore sept jours après son retrait.',
  },
}

function textOf(language: Language, content: AccountMailContent, { subject, happened, effect }: Change): MailText {
  const say = words[language]
  const { url, mayRevert } = content
  const before = [happened, say.fine]
  if (mayRevert) return { subject, before, button: say.revert, url, after: [effect, say.once] }
  return { subject, before, button: say.account, url, after: adviceOf(language, content, say.otherwise) }
}

const adviceOf = (language: Language, content: AccountMailContent, advice: string): string[] =>
  content.isRemoved ? [words[language].removed] : [advice, ...passwordResetHint(language, content)]

const textsOf = (changes: Readonly<Record<Language, (content: AccountMailContent) => Change>>): AccountMailTexts => ({
  en: (content) => textOf('en', content, changes.en(content)),
  es: (content) => textOf('es', content, changes.es(content)),
  fr: (content) => textOf('fr', content, changes.fr(content)),
})

const takenOff = {
  en: 'Taking it back takes that address off the account and ends all sessions and tokens.',
  es: 'Si lo deshaces, esa dirección se quita de la cuenta y terminan todas las sesiones y claves.',
  fr: 'L’annuler retire cette adresse du compte et met fin à toutes les sessions et à tous les jetons.',
}

export const emailAdded = textsOf({
  en: ({ address, changedAddress }) => ({
    subject: 'An e-mail address was added to your account',
    happened: `${changedAddress} was added to the Fixpoint account of ${address}. It is not confirmed yet.`,
    effect: takenOff.en,
  }),
  es: ({ address, changedAddress }) => ({
    subject: 'Se ha añadido una dirección a tu cuenta',
    happened: `Se ha añadido ${changedAddress} a la cuenta de Fixpoint de ${address}. Todavía no está confirmada.`,
    effect: takenOff.es,
  }),
  fr: ({ address, changedAddress }) => ({
    subject: 'Une adresse a été ajoutée à votre compte',
    happened: `${changedAddress} a été ajoutée au compte Fixpoint de ${address}. Elle n’est pas encore confirmée.`,
    effect: takenOff.fr,
  }),
})

export const emailConfirmed = textsOf({
  en: ({ address, changedAddress }) => ({
    subject: 'An e-mail address of your account was confirmed',
    happened: `${changedAddress} is now a confirmed address of the Fixpoint account of ${address}.`,
    effect: takenOff.en,
  }),
  es: ({ address, changedAddress }) => ({
    subject: 'Se ha confirmado una dirección de tu cuenta',
    happened: `${changedAddress} es ahora una dirección confirmada de la cuenta de Fixpoint de ${address}.`,
    effect: takenOff.es,
  }),
  fr: ({ address, changedAddress }) => ({
    subject: 'Une adresse de votre compte a été confirmée',
    happened: `${changedAddress} est maintenant une adresse confirmée du compte Fixpoint de ${address}.`,
    effect: takenOff.fr,
  }),
})

export const emailRemoved = textsOf({
  en: ({ address, changedAddress }) => ({
    subject: 'An e-mail address was removed from your account',
    happened: `${changedAddress} was removed from the Fixpoint account of ${address}.`,
    effect: 'Taking it back brings that address back to the account and ends all sessions and tokens.',
  }),
  es: ({ address, changedAddress }) => ({
    subject: 'Se ha quitado una dirección de tu cuenta',
    happened: `Se ha quitado ${changedAddress} de la cuenta de Fixpoint de ${address}.`,
    effect: 'Si lo deshaces, esa dirección vuelve a la cuenta y terminan todas las sesiones y claves.',
  }),
  fr: ({ address, changedAddress }) => ({
    subject: 'Une adresse a été retirée de votre compte',
    happened: `${changedAddress} a été retirée du compte Fixpoint de ${address}.`,
    effect: 'L’annuler remet cette adresse sur le compte et met fin à toutes les sessions et à tous les jetons.',
  }),
})

/** Sent after a change was reverted: all sessions have ended, and the owner should set a new password. */
export const emailChangeReverted: AccountMailTexts = {
  en: (content) => ({
    subject: 'A change of your addresses was taken back',
    before: [
      `A change of the addresses of the Fixpoint account of ${content.address} was taken back with the link of a mail.`,
      'All sessions and tokens of the account have ended.',
    ],
    button: 'Choose a new password',
    url: content.url,
    after: adviceOf(
      'en',
      content,
      'If an address was added without you, choose a new password, and delete the addresses that you do not know.',
    ),
  }),
  es: (content) => ({
    subject: 'Se ha deshecho un cambio de tus direcciones',
    before: [
      `Se ha deshecho un cambio de las direcciones de la cuenta de Fixpoint de ${content.address} con el enlace de un correo.`,
      'Han terminado todas las sesiones y claves de la cuenta.',
    ],
    button: 'Elegir una contraseña nueva',
    url: content.url,
    after: adviceOf(
      'es',
      content,
      'Si alguien añadió una dirección sin ti, elige una contraseña nueva y borra las direcciones que no conozcas.',
    ),
  }),
  fr: (content) => ({
    subject: 'Un changement de vos adresses a été annulé',
    before: [
      `Un changement des adresses du compte Fixpoint de ${content.address} a été annulé avec le lien d’un courriel.`,
      'Toutes les sessions et tous les jetons du compte ont pris fin.',
    ],
    button: 'Choisir un nouveau mot de passe',
    url: content.url,
    after: adviceOf(
      'fr',
      content,
      'Si une adresse a été ajoutée sans vous, choisissez un nouveau mot de passe et supprimez les adresses inconnues.',
    ),
  }),
}
