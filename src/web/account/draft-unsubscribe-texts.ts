import type { Language } from '../../errors/texts/languages.ts'

/** Texts of the page that stops mails about drafts of reports. */
interface DraftUnsubscribeTexts {
  readonly about: string
  readonly stop: string
  readonly stopped: string
}

export const draftUnsubscribeTexts: Readonly<Record<Language, DraftUnsubscribeTexts>> = {
  en: {
    about: 'Someone, probably you, asked for a link to a report that is not published yet.',
    stop: 'No more links to saved reports',
    stopped: 'We will send no more links to saved reports to this address.',
  },
  es: {
    about: 'Alguien, probablemente tú, pidió un enlace a un reporte que todavía no está publicado.',
    stop: 'No más enlaces a reportes guardados',
    stopped: 'No enviaremos más enlaces a reportes guardados a esta dirección.',
  },
  fr: {
    about: 'Quelqu’un, sans doute vous, a demandé un lien vers un signalement qui n’est pas encore publié.',
    stop: 'Ne plus recevoir de liens vers des signalements enregistrés',
    stopped: 'Nous n’enverrons plus à cette adresse de liens vers des signalements enregistrés.',
  },
}
