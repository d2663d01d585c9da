import type { Language } from '../../errors/texts/languages.ts'
import type { MailText } from './layout.ts'
import type { AccountMailContent, AccountMailTexts } from './composed-mail.ts'
import { passwordResetHint } from './password-reset-hint.ts'

/** An attacker may have made the change, so the mails go to the other addresses and quote nothing but the changed address. */

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
    fine: 'If that was you, you do not need to do anything.',
    revert: 'Undo the change',
    once: 'The link is valid for seven days and works once. It opens a page that asks you to confirm.',
    account: 'See the addresses of the account',
    otherwise: 'If that was not you, choose a new password now. This ends all other sessions and all tokens of the account.',
    removed:
      'This address no longer belongs to the account. It gets security mails like this one until seven days after its removal.',
  },
  es: {
    fine: 'Si has sido tú, no tienes que hacer nada.',
    revert: 'Deshacer el cambio',
    once: 'El enlace es válido durante siete días y funciona una sola vez. Abre una página que te pide confirmación.',
    account: 'Ver las direcciones de la cuenta',
    otherwise:
      'Si no has sido tú, elige ahora una contraseña nueva. Así terminan todas las demás sesiones y todas las claves de la cuenta.',
    removed:
      'Esta dirección ya no pertenece a la cuenta. Recibe correos de seguridad como este hasta siete días después de quitarla.',
  },
  fr: {
    fine: 'Si c’était vous, vous n’avez rien à faire.',
    revert: 'Annuler ce changement',
    once: 'Le lien est valable sept jours et ne fonctionne qu’une fois. Il ouvre une page qui vous demande une confirmation.',
    account: 'Voir les adresses du compte',
    otherwise:
      'Si ce n’était pas vous, choisissez maintenant un nouveau mot de passe. Cela met fin à toutes les autres sessions et à tous les jetons du compte.',
    removed:
      'Cette adresse n’appartient plus au compte. Elle reçoit des courriels de sécurité comme celui-ci jusqu’à sept jours après son retrait.',
  },
}

function composeText(language: Language, content: AccountMailContent, { subject, happened, effect }: Change): MailText {
  const say = words[language]
  const { url, mayRevert } = content
  const intro = [happened, say.fine]
  if (mayRevert) return { subject, intro, button: say.revert, url, closing: [effect, say.once] }
  return { subject, intro, button: say.account, url, closing: selectAdvice(language, content, say.otherwise) }
}

const selectAdvice = (language: Language, content: AccountMailContent, advice: string): string[] =>
  content.isRemoved ? [words[language].removed] : [advice, ...passwordResetHint(language, content)]

const composeTexts = (changes: Readonly<Record<Language, (content: AccountMailContent) => Change>>): AccountMailTexts => ({
  en: (content) => composeText('en', content, changes.en(content)),
  es: (content) => composeText('es', content, changes.es(content)),
  fr: (content) => composeText('fr', content, changes.fr(content)),
})

const revertRemovesAddress = {
  en: 'Undoing the change removes that address from the account and ends all sessions and tokens.',
  es: 'Si lo deshaces, esa dirección se quita de la cuenta y terminan todas las sesiones y claves.',
  fr: 'L’annuler retire cette adresse du compte et met fin à toutes les sessions et à tous les jetons.',
}

export const emailAdded = composeTexts({
  en: ({ address, changedAddress }) => ({
    subject: 'An e-mail address was added to your account',
    happened: `${changedAddress} was added to the Fixpoint account of ${address}. It is not confirmed yet.`,
    effect: revertRemovesAddress.en,
  }),
  es: ({ address, changedAddress }) => ({
    subject: 'Se ha añadido una dirección a tu cuenta',
    happened: `Se ha añadido ${changedAddress} a la cuenta de Fixpoint de ${address}. Todavía no está confirmada.`,
    effect: revertRemovesAddress.es,
  }),
  fr: ({ address, changedAddress }) => ({
    subject: 'Une adresse a été ajoutée à votre compte',
    happened: `${changedAddress} a été ajoutée au compte Fixpoint de ${address}. Elle n’est pas encore confirmée.`,
    effect: revertRemovesAddress.fr,
  }),
})

export const emailConfirmed = composeTexts({
  en: ({ address, changedAddress }) => ({
    subject: 'An e-mail address of your account was confirmed',
    happened: `${changedAddress} is now a confirmed address of the Fixpoint account of ${address}.`,
    effect: revertRemovesAddress.en,
  }),
  es: ({ address, changedAddress }) => ({
    subject: 'Se ha confirmado una dirección de tu cuenta',
    happened: `${changedAddress} es ahora una dirección confirmada de la cuenta de Fixpoint de ${address}.`,
    effect: revertRemovesAddress.es,
  }),
  fr: ({ address, changedAddress }) => ({
    subject: 'Une adresse de votre compte a été confirmée',
    happened: `${changedAddress} est maintenant une adresse confirmée du compte Fixpoint de ${address}.`,
    effect: revertRemovesAddress.fr,
  }),
})

export const emailRemoved = composeTexts({
  en: ({ address, changedAddress }) => ({
    subject: 'An e-mail address was removed from your account',
    happened: `${changedAddress} was removed from the Fixpoint account of ${address}.`,
    effect: 'Undoing the change restores that address to the account and ends all sessions and tokens.',
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

/** All sessions have ended, so the mail asks for a new password. */
export const emailChangeReverted: AccountMailTexts = {
  en: (content) => ({
    subject: 'A change of your e-mail addresses was undone',
    intro: [
      `A change of the addresses of the Fixpoint account of ${content.address} was undone with the link of a mail.`,
      'All sessions and tokens of the account have ended.',
    ],
    button: 'Choose a new password',
    url: content.url,
    closing: selectAdvice(
      'en',
      content,
      'If someone else added an address, choose a new password and delete the addresses that you do not know.',
    ),
  }),
  es: (content) => ({
    subject: 'Se ha deshecho un cambio de tus direcciones de correo',
    intro: [
      `Se ha deshecho un cambio de las direcciones de la cuenta de Fixpoint de ${content.address} con el enlace de un correo.`,
      'Han terminado todas las sesiones y claves de la cuenta.',
    ],
    button: 'Elegir una contraseña nueva',
    url: content.url,
    closing: selectAdvice(
      'es',
      content,
      'Si otra persona añadió una dirección, elige una contraseña nueva y borra las direcciones que no conozcas.',
    ),
  }),
  fr: (content) => ({
    subject: 'Un changement de vos adresses e-mail a été annulé',
    intro: [
      `Un changement des adresses du compte Fixpoint de ${content.address} a été annulé avec le lien d’un courriel.`,
      'Toutes les sessions et tous les jetons du compte ont pris fin.',
    ],
    button: 'Choisir un nouveau mot de passe',
    url: content.url,
    closing: selectAdvice(
      'fr',
      content,
      'Si une autre personne a ajouté une adresse, choisissez un nouveau mot de passe et supprimez les adresses inconnues.',
    ),
  }),
}
