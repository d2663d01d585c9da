import type { AccountMailTexts } from './composed-mail.ts'
import { passwordResetHint } from './password-reset-hint.ts'

/** The mail goes to the other addresses of the account, because an attacker may have changed the password. */
export const passwordChanged: AccountMailTexts = {
  en: (content) => ({
    subject: 'Your password was changed',
    before: [`The password of the Fixpoint account of ${content.address} was changed just now.`, 'If that was you, all is well.'],
    button: 'That was not me',
    url: content.url,
    after: [
      content.isRemoved
        ? 'This address does not belong to the account any more. If you did not remove it, and the mail about its removal has a link that takes it back, follow that first.'
        : 'The link leads to the page for a forgotten password: choose a new one there, which ends all sessions and tokens.',
      ...passwordResetHint('en', content),
    ],
  }),
  es: (content) => ({
    subject: 'Tu contraseña ha cambiado',
    before: [`La contraseña de la cuenta de Fixpoint de ${content.address} acaba de cambiar.`, 'Si has sido tú, todo está bien.'],
    button: 'No he sido yo',
    url: content.url,
    after: [
      content.isRemoved
        ? 'Esta dirección ya no pertenece a la cuenta. Si no la quitaste tú y el correo sobre su retirada tiene un enlace para deshacerla, sigue antes ese enlace.'
        : 'El enlace lleva a la página para contraseñas olvidadas: elige allí una nueva, y terminan todas las sesiones y claves.',
      ...passwordResetHint('es', content),
    ],
  }),
  fr: (content) => ({
    subject: 'Votre mot de passe a changé',
    before: [`Le mot de passe du compte Fixpoint de ${content.address} vient de changer.`, 'Si c’était vous, tout va bien.'],
    button: 'Ce n’était pas moi',
    url: content.url,
    after: [
      content.isRemoved
        ? 'Cette adresse n’appartient plus au compte. Si vous ne l’avez pas retirée et que le courriel sur son retrait contient un lien pour l’annuler, suivez d’abord ce lien.'
        : 'Le lien mène à la page des mots de passe oubliés : choisissez-y un nouveau, ce qui met fin à toutes les sessions et à tous les jetons.',
      ...passwordResetHint('fr', content),
    ],
  }),
}
