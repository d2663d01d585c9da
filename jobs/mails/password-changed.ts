import type { MailTexts } from './mails.ts'

/** To the other addresses of an account: whoever changed the password may not be its owner. */
export const passwordChanged: MailTexts = {
  en: ({ address, url }) => ({
    subject: 'Your password was changed',
    before: [`The password of the Fixpoint account of ${address} was changed just now.`, 'If that was you, all is well.'],
    button: 'That was not me',
    url,
    after: ['The link leads to the page for a forgotten password: choose a new one there, and whoever changed it is out.'],
  }),
  es: ({ address, url }) => ({
    subject: 'Tu contraseña ha cambiado',
    before: [`La contraseña de la cuenta de Fixpoint de ${address} acaba de cambiar.`, 'Si has sido tú, todo está bien.'],
    button: 'No he sido yo',
    url,
    after: ['El enlace lleva a la página para contraseñas olvidadas: elige allí una nueva, y quien la cambió queda fuera.'],
  }),
  fr: ({ address, url }) => ({
    subject: 'Votre mot de passe a changé',
    before: [`Le mot de passe du compte Fixpoint de ${address} vient de changer.`, 'Si c’était vous, tout va bien.'],
    button: 'Ce n’était pas moi',
    url,
    after: ['Le lien mène à la page des mots de passe oubliés : choisissez-y un nouveau, et qui l’a changé est dehors.'],
  }),
}
