import type { Language } from '../../errors/texts/languages.ts'

/** Texts that the script of the form shows. */
interface UploadTexts {
  readonly attached: string
  /** The script replaces `{percent}`. */
  readonly sending: string
  readonly notSent: string
}

export const uploadTexts: Readonly<Record<Language, UploadTexts>> = {
  en: {
    attached: 'Your pictures from the start are chosen.',
    sending: 'Sending … {percent} %',
    notSent: 'The report could not be sent. Check your connection, then send it again; nothing is lost.',
  },
  es: {
    attached: 'Las fotos del comienzo ya están elegidas.',
    sending: 'Enviando… {percent} %',
    notSent: 'No se pudo enviar el reporte. Revisa tu conexión y envíalo otra vez; no se pierde nada.',
  },
  fr: {
    attached: 'Vos photos du début sont choisies.',
    sending: 'Envoi… {percent} %',
    notSent: 'Le signalement n’a pas pu être envoyé. Vérifiez votre connexion, puis renvoyez-le ; rien n’est perdu.',
  },
}
