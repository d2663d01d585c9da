import type { Language } from '../../errors/texts/languages.ts'
import type { MailText } from './layout.ts'
import type { AccountMailContent, AccountMailTexts } from './composed-mail.ts'
import { passwordResetHint } from './password-reset-hint.ts'

/** An attacker may have made the change, so the mails go to the other addresses and quote nothing but the changed address. */

interface Change {
  readonly subject: string
  readonly whatChanged: string
  readonly revertEffect: string
}

interface Words {
  readonly noActionNeeded: string
  readonly revertButton: string
  readonly linkValidity: string
  readonly accountButton: string
  readonly chooseNewPassword: string
  readonly addressRemoved: string
}

const words: Readonly<Record<Language, Words>> = {
  en: {
    noActionNeeded: 'If that was you, you do not need to do anything.',
    revertButton: 'Undo the change',
    linkValidity: 'The link is valid for seven days and works once. It opens a page that asks you to confirm.',
    accountButton: 'See the addresses of the account',
    chooseNewPassword:
      'If that was not you, choose a new password now. This ends all other sessions and all tokens of the account.',
    addressRemoved:
      'This address no longer belongs to the account. It gets security mails like this one until seven days after its removal.',
  },
  es: {
    noActionNeeded: 'Si has sido tú, no tienes que hacer nada.',
    revertButton: 'Deshacer el cambio',
    linkValidity: 'El enlace es válido durante siete días y funciona una sola vez. Abre una página que te pide confirmación.',
    accountButton: 'Ver las direcciones de la cuenta',
    chooseNewPassword:
      'Si no has sido tú, elige ahora una contraseña nueva. Así terminan todas las demás sesiones y todos los tokens de la cuenta.',
    addressRemoved:
      'Esta dirección ya no pertenece a la cuenta. Recibe correos de seguridad como este hasta siete días después de quitarla.',
  },
  fr: {
    noActionNeeded: 'Si c’était vous, vous n’avez rien à faire.',
    revertButton: 'Annuler ce changement',
    linkValidity:
      'Le lien est valable sept jours et ne fonctionne qu’une fois. Il ouvre une page qui vous demande une confirmation.',
    accountButton: 'Voir les adresses du compte',
    chooseNewPassword:
      'Si ce n’était pas vous, choisissez maintenant un nouveau mot de passe. Cela met fin à toutes les autres sessions et à tous les jetons du compte.',
    addressRemoved:
      'Cette adresse n’appartient plus au compte. Elle reçoit des courriels de sécurité comme celui-ci jusqu’à sept jours après son retrait.',
  },
}

function composeText(language: Language, content: AccountMailContent, { subject, whatChanged, revertEffect }: Change): MailText {
  const texts = words[language]
  const { url, mayRevert } = content
  const intro = [whatChanged, texts.noActionNeeded]
  if (mayRevert) return { subject, intro, button: texts.revertButton, url, closing: [revertEffect, texts.linkValidity] }
  return { subject, intro, button: texts.accountButton, url, closing: selectAdvice(language, content, texts.chooseNewPassword) }
}

const selectAdvice = (language: Language, content: AccountMailContent, advice: string): string[] =>
  content.isRemoved ? [words[language].addressRemoved] : [advice, ...passwordResetHint(language, content)]

const composeTexts = (changes: Readonly<Record<Language, (content: AccountMailContent) => Change>>): AccountMailTexts => ({
  en: (content) => composeText('en', content, changes.en(content)),
  es: (content) => composeText('es', content, changes.es(content)),
  fr: (content) => composeText('fr', content, changes.fr(content)),
})

const revertRemovesEmailAddress = {
  en: 'Undoing the change removes that address from the account and ends all sessions and tokens.',
  es: 'Si lo deshaces, esa dirección se quita de la cuenta y terminan todas las sesiones y todos los tokens.',
  fr: 'L’annuler retire cette adresse du compte et met fin à toutes les sessions et à tous les jetons.',
}

export const emailAdded = composeTexts({
  en: ({ emailAddress, changedEmailAddress }) => ({
    subject: 'An e-mail address was added to your account',
    whatChanged: `${changedEmailAddress} was added to the Fixpoint account of ${emailAddress}. It is not confirmed yet.`,
    revertEffect: revertRemovesEmailAddress.en,
  }),
  es: ({ emailAddress, changedEmailAddress }) => ({
    subject: 'Se ha añadido una dirección a tu cuenta',
    whatChanged: `Se ha añadido ${changedEmailAddress} a la cuenta de Fixpoint de ${emailAddress}. Todavía no está confirmada.`,
    revertEffect: revertRemovesEmailAddress.es,
  }),
  fr: ({ emailAddress, changedEmailAddress }) => ({
    subject: 'Une adresse a été ajoutée à votre compte',
    whatChanged: `${changedEmailAddress} a été ajoutée au compte Fixpoint de ${emailAddress}. Elle n’est pas encore confirmée.`,
    revertEffect: revertRemovesEmailAddress.fr,
  }),
})

export const emailConfirmed = composeTexts({
  en: ({ emailAddress, changedEmailAddress }) => ({
    subject: 'An e-mail address of your account was confirmed',
    whatChanged: `${changedEmailAddress} is now a confirmed address of the Fixpoint account of ${emailAddress}.`,
    revertEffect: revertRemovesEmailAddress.en,
  }),
  es: ({ emailAddress, changedEmailAddress }) => ({
    subject: 'Se ha confirmado una dirección de tu cuenta',
    whatChanged: `${changedEmailAddress} es ahora una dirección confirmada de la cuenta de Fixpoint de ${emailAddress}.`,
    revertEffect: revertRemovesEmailAddress.es,
  }),
  fr: ({ emailAddress, changedEmailAddress }) => ({
    subject: 'Une adresse de votre compte a été confirmée',
    whatChanged: `${changedEmailAddress} est maintenant une adresse confirmée du compte Fixpoint de ${emailAddress}.`,
    revertEffect: revertRemovesEmailAddress.fr,
  }),
})

export const emailRemoved = composeTexts({
  en: ({ emailAddress, changedEmailAddress }) => ({
    subject: 'An e-mail address was removed from your account',
    whatChanged: `${changedEmailAddress} was removed from the Fixpoint account of ${emailAddress}.`,
    revertEffect: 'Undoing the change restores that address to the account and ends all sessions and tokens.',
  }),
  es: ({ emailAddress, changedEmailAddress }) => ({
    subject: 'Se ha quitado una dirección de tu cuenta',
    whatChanged: `Se ha quitado ${changedEmailAddress} de la cuenta de Fixpoint de ${emailAddress}.`,
    revertEffect: 'Si lo deshaces, esa dirección vuelve a la cuenta y terminan todas las sesiones y todos los tokens.',
  }),
  fr: ({ emailAddress, changedEmailAddress }) => ({
    subject: 'Une adresse a été retirée de votre compte',
    whatChanged: `${changedEmailAddress} a été retirée du compte Fixpoint de ${emailAddress}.`,
    revertEffect: 'L’annuler remet cette adresse sur le compte et met fin à toutes les sessions et à tous les jetons.',
  }),
})

/** All sessions have ended, so the mail asks for a new password. */
export const emailChangeReverted: AccountMailTexts = {
  en: (content) => ({
    subject: 'A change of your e-mail addresses was undone',
    intro: [
      `A change of the addresses of the Fixpoint account of ${content.emailAddress} was undone with the link of a mail.`,
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
      `Se ha deshecho un cambio de las direcciones de la cuenta de Fixpoint de ${content.emailAddress} con el enlace de un correo.`,
      'Han terminado todas las sesiones y todos los tokens de la cuenta.',
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
      `Un changement des adresses du compte Fixpoint de ${content.emailAddress} a été annulé avec le lien d’un courriel.`,
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
