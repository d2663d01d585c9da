import type { AccountMailTexts } from './composed-mail.ts'
import { passwordResetHint } from './password-reset-hint.ts'

/** An attacker may have changed the password, so the mail goes to the other addresses of the account. */
export const passwordChanged: AccountMailTexts = {
  en: (content) => ({
    subject: 'Your password was changed',
    intro: [
      `The password of the Fixpoint account of ${content.emailAddress} was changed.`,
      'If that was you, you do not need to do anything.',
    ],
    button: 'That was not me',
    url: content.url,
    closing: [
      content.isRemoved
        ? 'This address no longer belongs to the account. If you did not remove it, first follow the link in the mail about its removal, if that mail has one.'
        : 'The link opens the page for forgotten passwords. A new password ends all sessions and tokens.',
      ...passwordResetHint('en', content),
    ],
  }),
  es: (content) => ({
    subject: 'Tu contraseña ha cambiado',
    intro: [
      `La contraseña de la cuenta de Fixpoint de ${content.emailAddress} ha cambiado.`,
      'Si has sido tú, no tienes que hacer nada.',
    ],
    button: 'No he sido yo',
    url: content.url,
    closing: [
      content.isRemoved
        ? 'Esta dirección ya no pertenece a la cuenta. Si no la quitaste tú, sigue primero el enlace del correo sobre su retirada, si ese correo tiene uno.'
        : 'El enlace abre la página para contraseñas olvidadas. Con una contraseña nueva terminan todas las sesiones y todos los tokens.',
      ...passwordResetHint('es', content),
    ],
  }),
  fr: (content) => ({
    subject: 'Votre mot de passe a changé',
    intro: [
      `Le mot de passe du compte Fixpoint de ${content.emailAddress} a changé.`,
      'Si c’était vous, vous n’avez rien à faire.',
    ],
    button: 'Ce n’était pas moi',
    url: content.url,
    closing: [
      content.isRemoved
        ? 'Cette adresse n’appartient plus au compte. Si vous ne l’avez pas retirée, suivez d’abord le lien du courriel sur son retrait, si ce courriel en contient un.'
        : 'Le lien ouvre la page des mots de passe oubliés. Un nouveau mot de passe met fin à toutes les sessions et à tous les jetons.',
      ...passwordResetHint('fr', content),
    ],
  }),
}
