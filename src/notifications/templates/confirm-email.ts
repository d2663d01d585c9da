import type { AccountMailTexts } from './composed-mail.ts'

/** The claimed address may belong to a third party, so the mail contains no text written by the account, not even its name. */
export const confirmEmail: AccountMailTexts = {
  en: ({ address, url, unsubscribeLink }) => ({
    subject: 'Confirm your e-mail address',
    before: [`Somebody, probably you, has given ${address} as their e-mail address at Fixpoint.`],
    button: 'Confirm this address',
    url,
    after: [
      'The link works once, for three days. The page that it opens asks for the password of the account.',
      'If that was not you, do nothing: without a confirmation we write to you no more, and the address stays free for you.',
    ],
    unsubscribe: { text: 'Never write to this address again', url: unsubscribeLink },
  }),
  es: ({ address, url, unsubscribeLink }) => ({
    subject: 'Confirma tu dirección de correo',
    before: [`Alguien, probablemente tú, ha indicado ${address} como su dirección de correo en Fixpoint.`],
    button: 'Confirmar esta dirección',
    url,
    after: [
      'El enlace funciona una sola vez, durante tres días. La página que abre pide la contraseña de la cuenta.',
      'Si no has sido tú, no hagas nada: sin confirmación no te escribiremos más, y la dirección queda libre para ti.',
    ],
    unsubscribe: { text: 'No volver a escribir nunca a esta dirección', url: unsubscribeLink },
  }),
  fr: ({ address, url, unsubscribeLink }) => ({
    subject: 'Confirmez votre adresse e-mail',
    before: [`Quelqu’un, sans doute vous, a indiqué ${address} comme son adresse e-mail sur Fixpoint.`],
    button: 'Confirmer cette adresse',
    url,
    after: [
      'Le lien fonctionne une seule fois, pendant trois jours. La page qu’il ouvre demande le mot de passe du compte.',
      'Si ce n’était pas vous, ne faites rien : sans confirmation nous ne vous écrirons plus, et l’adresse reste libre pour vous.',
    ],
    unsubscribe: { text: 'Ne plus jamais écrire à cette adresse', url: unsubscribeLink },
  }),
}
