import type { Language } from '../../errors/texts/languages.ts'
import type { MailText } from './layout.ts'

interface ReportReceiptContent {
  /** The page of the issue, or the home page while the report waits for approval. */
  readonly url: string
  readonly isPublic: boolean
  readonly unsubscribeLink: string
}

/** The address may belong to a third party, so the mail contains no text of the report. */
export const reportReceipt: Readonly<Record<Language, (content: ReportReceiptContent) => MailText>> = {
  en: ({ url, isPublic, unsubscribeLink }) => ({
    subject: 'Your report has arrived',
    intro: [
      'Someone, probably you, sent a report with this address as the contact.',
      isPublic
        ? 'It is published now. Its page shows what happens with it.'
        : 'It is published once a moderator has approved it. You get no further mail about it.',
    ],
    button: isPublic ? 'View the report' : 'Open Fixpoint',
    url,
    closing: [
      'Only the staff of the organisation sees this address.',
      'If that was not you, ignore this mail: this is the only one about the report.',
    ],
    unsubscribe: { text: 'No more mails about reports without an account to this address', url: unsubscribeLink },
  }),
  es: ({ url, isPublic, unsubscribeLink }) => ({
    subject: 'Tu reporte ha llegado',
    intro: [
      'Alguien, probablemente tú, envió un reporte con esta dirección como contacto.',
      isPublic
        ? 'Ya está publicado. Su página muestra lo que ocurre con él.'
        : 'Se publicará cuando un moderador lo apruebe. No recibirás más correos sobre él.',
    ],
    button: isPublic ? 'Ver el reporte' : 'Abrir Fixpoint',
    url,
    closing: [
      'Solo el personal de la organización ve esta dirección.',
      'Si no has sido tú, ignora este correo: es el único sobre el reporte.',
    ],
    unsubscribe: { text: 'No más correos sobre reportes sin cuenta a esta dirección', url: unsubscribeLink },
  }),
  fr: ({ url, isPublic, unsubscribeLink }) => ({
    subject: 'Votre signalement est arrivé',
    intro: [
      'Quelqu’un, sans doute vous, a envoyé un signalement avec cette adresse comme contact.',
      isPublic
        ? 'Il est maintenant publié. Sa page montre ce qu’il devient.'
        : 'Il sera publié dès qu’un modérateur l’aura approuvé. Vous ne recevrez pas d’autre courriel à ce sujet.',
    ],
    button: isPublic ? 'Voir le signalement' : 'Ouvrir Fixpoint',
    url,
    closing: [
      'Seul le personnel de l’organisation voit cette adresse.',
      'Si ce n’était pas vous, ignorez ce courriel : c’est le seul au sujet de ce signalement.',
    ],
    unsubscribe: { text: 'Ne plus envoyer à cette adresse de courriels sur des signalements sans compte', url: unsubscribeLink },
  }),
}
