import type { Language } from '../../errors/texts/languages.ts'
import type { Status } from '../../issue-lifecycle/status.ts'

/** Standard comments, which stand for an update without a text, and the notice about a comment that waits for approval. */
export const updateTexts: Readonly<Record<Language, Readonly<Record<Status | 'unchanged' | 'picture' | 'pending', string>>>> = {
  en: {
    Open: 'The report is open again.',
    Acknowledged: 'The organisation is looking into this.',
    Closed: 'The organisation has closed the report.',
    Archived: 'The report is archived.',
    unchanged: 'The organisation has updated the report.',
    picture: 'A picture was added.',
    pending: 'The comment is published once a moderator has approved it.',
  },
  es: {
    Open: 'El reporte está abierto de nuevo.',
    Acknowledged: 'La organización se ocupa de esto.',
    Closed: 'La organización ha cerrado el reporte.',
    Archived: 'El reporte está archivado.',
    unchanged: 'La organización ha actualizado el reporte.',
    picture: 'Se añadió una imagen.',
    pending: 'El comentario se publicará cuando un moderador lo apruebe.',
  },
  fr: {
    Open: 'Le signalement est de nouveau ouvert.',
    Acknowledged: 'L’organisation s’en occupe.',
    Closed: 'L’organisation a clos le signalement.',
    Archived: 'Le signalement est archivé.',
    unchanged: 'L’organisation a mis à jour le signalement.',
    picture: 'Une image a été ajoutée.',
    pending: 'Le commentaire sera publié dès qu’un modérateur l’aura approuvé.',
  },
}
