import type { Language } from '../errors/texts/languages.ts'
import type { Status } from '../issue-lifecycle/status.ts'

type ReceivedStatus = Exclude<Status, 'Archived'>

/** Comments for updates without a text. */
export const updateTexts: Readonly<Record<Language, Readonly<Record<ReceivedStatus | 'none', string>>>> = {
  en: {
    Open: 'The city has opened this report again.',
    Acknowledged: 'The city is working on this report.',
    Closed: 'The city has closed this report.',
    none: 'The city has updated this report.',
  },
  es: {
    Open: 'La ciudad reabrió este reporte.',
    Acknowledged: 'La ciudad está trabajando en este reporte.',
    Closed: 'La ciudad cerró este reporte.',
    none: 'La ciudad actualizó este reporte.',
  },
  fr: {
    Open: 'La ville a rouvert ce signalement.',
    Acknowledged: 'La ville traite ce signalement.',
    Closed: 'La ville a clos ce signalement.',
    none: 'La ville a mis à jour ce signalement.',
  },
}
