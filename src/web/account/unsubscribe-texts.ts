import type { Language } from '../../errors/texts/languages.ts'

export interface UnsubscribeTexts {
  readonly title: string
  readonly description: string
  /** `summary` is null if the issue is not public. */
  readonly about: (summary: string | null) => string
  readonly aboutQuestion: (question: string | null) => string
  readonly aboutArea: (name: string | null) => string
  readonly stopIssue: string
  readonly stopQuestion: string
  readonly stopArea: string
  readonly stopAll: string
  readonly stopAddress: string
  readonly stoppedIssue: string
  readonly stoppedQuestion: string
  readonly stoppedArea: string
  readonly stoppedAll: string
  readonly stoppedAddress: string
  readonly undo: string
  readonly account: string
  readonly address: string
  readonly settings: string
}

export const unsubscribeTexts: Readonly<Record<Language, UnsubscribeTexts>> = {
  en: {
    title: 'Mails from Fixpoint',
    description: 'Which mails you get, and how to stop them.',
    about: (summary) => (summary === null ? 'You got a mail about an issue.' : `You got a mail about: ${summary}`),
    aboutQuestion: (question) => (question === null ? 'You got a mail about a question.' : `You got a mail about: ${question}`),
    aboutArea: (name) =>
      name === null ? 'You got a mail about an area that you watch.' : `You got a mail about what happens in: ${name}`,
    stopIssue: 'No more mails about this issue',
    stopQuestion: 'No more mails about this question',
    stopArea: 'No more mails about this area',
    stopAll: 'No more mails about any issue or question',
    stopAddress: 'Never write to this address again',
    stoppedIssue: 'No more mails about this issue: you no longer follow it.',
    stoppedQuestion: 'No more mails about this question and its answers.',
    stoppedArea: 'No more mails about this area. You still watch it and can open its list and feeds.',
    stoppedAll: 'No more mails about any issue or question.',
    stoppedAddress: 'We will never write to this address again.',
    undo: 'Undo this',
    account: 'You still get mails that you request, such as the link for a forgotten password.',
    address: 'Someone entered your address as theirs. Until it is confirmed, we send no other mails to it.',
    settings: 'Your account',
  },
  es: {
    title: 'Correos de Fixpoint',
    description: 'Qué correos recibes y cómo dejar de recibirlos.',
    about: (summary) => (summary === null ? 'Recibiste un correo sobre un reporte.' : `Recibiste un correo sobre: ${summary}`),
    aboutQuestion: (question) =>
      question === null ? 'Recibiste un correo sobre una pregunta.' : `Recibiste un correo sobre: ${question}`,
    aboutArea: (name) =>
      name === null ? 'Recibiste un correo sobre una zona que vigilas.' : `Recibiste un correo sobre lo que pasa en: ${name}`,
    stopIssue: 'No más correos sobre este reporte',
    stopQuestion: 'No más correos sobre esta pregunta',
    stopArea: 'No más correos sobre esta zona',
    stopAll: 'No más correos sobre ningún reporte ni pregunta',
    stopAddress: 'No volver a escribir nunca a esta dirección',
    stoppedIssue: 'No más correos sobre este reporte: ya no lo sigues.',
    stoppedQuestion: 'No más correos sobre esta pregunta y sus respuestas.',
    stoppedArea: 'No más correos sobre esta zona. La sigues vigilando y puedes abrir su lista y sus canales.',
    stoppedAll: 'No más correos sobre ningún reporte ni pregunta.',
    stoppedAddress: 'No volveremos a escribir nunca a esta dirección.',
    undo: 'Deshacer',
    account: 'Seguirás recibiendo los correos que pidas, como el enlace para una contraseña olvidada.',
    address: 'Alguien indicó tu dirección como suya. Hasta que se confirme, no enviaremos ningún otro correo a ella.',
    settings: 'Tu cuenta',
  },
  fr: {
    title: 'Courriels de Fixpoint',
    description: 'Quels courriels vous recevez, et comment ne plus les recevoir.',
    about: (summary) =>
      summary === null ? 'Vous avez reçu un courriel sur un signalement.' : `Vous avez reçu un courriel sur : ${summary}`,
    aboutQuestion: (question) =>
      question === null ? 'Vous avez reçu un courriel sur une question.' : `Vous avez reçu un courriel sur : ${question}`,
    aboutArea: (name) =>
      name === null
        ? 'Vous avez reçu un courriel sur une zone que vous surveillez.'
        : `Vous avez reçu un courriel sur ce qui se passe dans : ${name}`,
    stopIssue: 'Ne plus recevoir de courriels sur ce signalement',
    stopQuestion: 'Ne plus recevoir de courriels sur cette question',
    stopArea: 'Ne plus recevoir de courriels sur cette zone',
    stopAll: 'Ne plus recevoir de courriels sur aucun signalement ni aucune question',
    stopAddress: 'Ne plus jamais écrire à cette adresse',
    stoppedIssue: 'Vous ne recevrez plus de courriels sur ce signalement : vous ne le suivez plus.',
    stoppedQuestion: 'Vous ne recevrez plus de courriels sur cette question et ses réponses.',
    stoppedArea:
      'Vous ne recevrez plus de courriels sur cette zone. Vous la surveillez toujours et pouvez ouvrir sa liste et ses flux.',
    stoppedAll: 'Vous ne recevrez plus de courriels sur aucun signalement ni aucune question.',
    stoppedAddress: 'Nous n’écrirons plus jamais à cette adresse.',
    undo: 'Annuler',
    account: 'Vous recevrez toujours les courriels que vous demandez, comme le lien pour un mot de passe oublié.',
    address:
      'Quelqu’un a indiqué votre adresse comme la sienne. Tant qu’elle n’est pas confirmée, nous n’y envoyons aucun autre courriel.',
    settings: 'Votre compte',
  },
}
