import type { AccountMailTexts } from './composed-mail.ts'

export const resetPassword: AccountMailTexts = {
  en: ({ address, url }) => ({
    subject: 'Choose a new password',
    before: [`Somebody, probably you, has forgotten the password of the Fixpoint account of ${address}.`],
    button: 'Choose a new password',
    url,
    after: [
      'The link works once, for one hour. With the new password all sessions and tokens of the account end.',
      'If that was not you, do nothing: the password stays as it is.',
    ],
  }),
  es: ({ address, url }) => ({
    subject: 'Elige una contraseña nueva',
    before: [`Alguien, probablemente tú, ha olvidado la contraseña de la cuenta de Fixpoint de ${address}.`],
    button: 'Elegir una contraseña nueva',
    url,
    after: [
      'El enlace funciona una sola vez, durante una hora. Con la contraseña nueva terminan todas las sesiones y claves de la cuenta.',
      'Si no has sido tú, no hagas nada: la contraseña sigue igual.',
    ],
  }),
  fr: ({ address, url }) => ({
    subject: 'Choisissez un nouveau mot de passe',
    before: [`Quelqu’un, sans doute vous, a oublié le mot de passe du compte Fixpoint de ${address}.`],
    button: 'Choisir un nouveau mot de passe',
    url,
    after: [
      'Le lien fonctionne une seule fois, pendant une heure. Avec le nouveau mot de passe, toutes les sessions et tous les jetons du compte prennent fin.',
      'Si ce n’était pas vous, ne faites rien : le mot de passe reste le même.',
    ],
  }),
}
