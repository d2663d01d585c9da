import type { AccountMailTexts } from './composed-mail.ts'

export const resetPassword: AccountMailTexts = {
  en: ({ emailAddress, url }) => ({
    subject: 'Reset your password',
    intro: [`Someone, probably you, asked to reset the password of the Fixpoint account of ${emailAddress}.`],
    button: 'Choose a new password',
    url,
    closing: [
      'The link is valid for one hour and works once. The new password ends all sessions and tokens of the account.',
      'If that was not you, ignore this mail. The password does not change.',
    ],
  }),
  es: ({ emailAddress, url }) => ({
    subject: 'Restablece tu contraseña',
    intro: [`Alguien, probablemente tú, ha pedido restablecer la contraseña de la cuenta de Fixpoint de ${emailAddress}.`],
    button: 'Elegir una contraseña nueva',
    url,
    closing: [
      'El enlace es válido durante una hora y funciona una sola vez. Con la contraseña nueva terminan todas las sesiones y todos los tokens de la cuenta.',
      'Si no has sido tú, ignora este correo. La contraseña no cambia.',
    ],
  }),
  fr: ({ emailAddress, url }) => ({
    subject: 'Réinitialisez votre mot de passe',
    intro: [`Quelqu’un, sans doute vous, a demandé à réinitialiser le mot de passe du compte Fixpoint de ${emailAddress}.`],
    button: 'Choisir un nouveau mot de passe',
    url,
    closing: [
      'Le lien est valable une heure et ne fonctionne qu’une fois. Avec le nouveau mot de passe, toutes les sessions et tous les jetons du compte prennent fin.',
      'Si ce n’était pas vous, ignorez ce courriel. Le mot de passe ne change pas.',
    ],
  }),
}
