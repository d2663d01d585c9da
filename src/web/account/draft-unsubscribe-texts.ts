import type { Language } from '../../errors/texts/languages.ts'

/** Texts of the page that stops mails about reports without an account: links to drafts, and confirmations. */
interface DraftUnsubscribeTexts {
  readonly about: string
  readonly stop: string
  readonly stopped: string
}

export const draftUnsubscribeTexts: Readonly<Record<Language, DraftUnsubscribeTexts>> = {
  en: {
    about: 'Someone, probably you, gave this address for a report that was written without an account.',
    stop: 'No more mails about such reports',
    stopped: 'We will send no more mails about such reports to this address.',
  },
  es: {
    about: 'Alguien, probablemente tú, dio esta dirección para un reporte que se escribió sin cuenta.',
    stop: 'No más correos sobre esos reportes',
    stopped: 'No enviaremos más correos sobre esos reportes a esta dirección.',
  },
  fr: {
    about: 'Quelqu’un, sans doute vous, a donné cette adresse pour un signalement rédigé sans compte.',
    stop: 'Ne plus recevoir de courriels sur ces signalements',
    stopped: 'Nous n’enverrons plus à cette adresse de courriels sur ces signalements.',
  },
}
