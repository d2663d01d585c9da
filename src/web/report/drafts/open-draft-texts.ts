import type { Language } from '../../../errors/texts/languages.ts'

/** Texts of the page behind the link of a mail to a draft. */
export interface OpenDraftTexts {
  readonly title: string
  readonly description: string
  readonly hint: string
  readonly replaces: string
  readonly open: string
}

export const openDraftTexts: Readonly<Record<Language, OpenDraftTexts>> = {
  en: {
    title: 'Open a saved report',
    description: 'The link of a mail to a report that is not published yet.',
    hint: 'This link leads to a report that is not published yet. Once it is open, you can change, publish or discard it on this device.',
    replaces: 'If another report is saved on this device, this one replaces it. Open it only if you asked for the mail.',
    open: 'Open this draft',
  },
  es: {
    title: 'Abrir un reporte guardado',
    description: 'El enlace de un correo a un reporte que todavía no está publicado.',
    hint: 'Este enlace lleva a un reporte que todavía no está publicado. Cuando lo abras, puedes cambiarlo, publicarlo o descartarlo en este dispositivo.',
    replaces: 'Si hay otro reporte guardado en este dispositivo, este lo reemplaza. Ábrelo solo si pediste el correo.',
    open: 'Abrir este borrador',
  },
  fr: {
    title: 'Ouvrir un signalement enregistré',
    description: 'Le lien d’un courriel vers un signalement qui n’est pas encore publié.',
    hint: 'Ce lien mène à un signalement qui n’est pas encore publié. Une fois ouvert, vous pouvez le modifier, le publier ou le supprimer sur cet appareil.',
    replaces:
      'Si un autre signalement est enregistré sur cet appareil, celui-ci le remplace. Ne l’ouvrez que si vous avez demandé le courriel.',
    open: 'Ouvrir ce brouillon',
  },
}
