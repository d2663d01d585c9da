import type { Language } from '../errors/texts/languages.ts'
import type { UpdateStatus } from './update-states.ts'

/** Standard comments, which stand for an update without a text. */
export const updateTexts: Readonly<Record<Language, Readonly<Record<UpdateStatus | 'Archived' | 'unchanged', string>>>> = {
  en: {
    Open: 'The report is open again.',
    Acknowledged: 'The organisation is looking into this.',
    Closed: 'The organisation has closed the report.',
    Archived: 'The report is archived.',
    unchanged: 'The organisation has updated the report.',
  },
  es: {
    Open: 'El reporte está abierto de nuevo.',
    Acknowledged: 'La organización se ocupa de esto.',
    Closed: 'La organización ha cerrado el reporte.',
    Archived: 'El reporte está archivado.',
    unchanged: 'La organización ha actualizado el reporte.',
  },
  fr: {
    Open: 'Le signalement est de nouveau ouvert.',
    Acknowledged: 'L’organisation s’en occupe.',
    Closed: 'L’organisation a clos le signalement.',
    Archived: 'Le signalement est archivé.',
    unchanged: 'L’organisation a mis à jour le signalement.',
  },
}
