import type { AccountMailTexts } from './composed-mail.ts'

/** The address may belong to a third party, so the mail contains no text written by the account, not even its name. */
export const confirmEmail: AccountMailTexts = {
  en: ({ emailAddress, url, unsubscribeLink }) => ({
    subject: 'Confirm your e-mail address',
    intro: [`Someone, probably you, entered ${emailAddress} as their e-mail address at Fixpoint.`],
    button: 'Confirm this address',
    url,
    closing: [
      'The link is valid for three days and works once. It opens a page that asks for the password of the account.',
      'If that was not you, ignore this mail. Without a confirmation, we send no more mails, and you can still use the address for your own account.',
    ],
    unsubscribe: { text: 'Never send mails to this address again', url: unsubscribeLink },
  }),
  es: ({ emailAddress, url, unsubscribeLink }) => ({
    subject: 'Confirma tu dirección de correo',
    intro: [`Alguien, probablemente tú, ha indicado ${emailAddress} como su dirección de correo en Fixpoint.`],
    button: 'Confirmar esta dirección',
    url,
    closing: [
      'El enlace es válido durante tres días y funciona una sola vez. Abre una página que pide la contraseña de la cuenta.',
      'Si no has sido tú, ignora este correo. Sin confirmación no enviaremos más correos, y podrás usar la dirección para tu propia cuenta.',
    ],
    unsubscribe: { text: 'No volver a enviar nunca correos a esta dirección', url: unsubscribeLink },
  }),
  fr: ({ emailAddress, url, unsubscribeLink }) => ({
    subject: 'Confirmez votre adresse e-mail',
    intro: [`Quelqu’un, sans doute vous, a indiqué ${emailAddress} comme son adresse e-mail sur Fixpoint.`],
    button: 'Confirmer cette adresse',
    url,
    closing: [
      'Le lien est valable trois jours et ne fonctionne qu’une fois. Il ouvre une page qui demande le mot de passe du compte.',
      'Si ce n’était pas vous, ignorez ce courriel. Sans confirmation, nous n’enverrons plus de courriels, et vous pourrez utiliser l’adresse pour votre propre compte.',
    ],
    unsubscribe: { text: 'Ne plus jamais envoyer de courriels à cette adresse', url: unsubscribeLink },
  }),
}
