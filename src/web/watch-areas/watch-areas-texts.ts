import type { Language } from '../../errors/texts/languages.ts'

export interface WatchAreasTexts {
  readonly description: string
  /** The parameter `done` selects the message after a form was saved. */
  readonly done: Readonly<Record<SuccessKey, string>>
  readonly none: string
  readonly empty: string
  readonly draw: string
  readonly chooseCity: string
  readonly chooseIssue: string
  readonly map: (area: string) => string
  readonly add: string
  /** The label of the map of all areas. */
  readonly allAreas: string
  readonly showIssues: string
  readonly edit: string
  readonly addresses: string
  readonly delete: string
  /** The label of a button that appears several times. */
  readonly actionLabel: (action: string, area: string) => string
}

const successKeys = ['watched', 'saved', 'renewed', 'removed'] as const
export type SuccessKey = (typeof successKeys)[number]
export const isSuccessKey = (text: unknown): text is SuccessKey => successKeys.some((key) => key === text)

export const watchAreasTexts: Readonly<Record<Language, WatchAreasTexts>> = {
  en: {
    description: 'The areas that you watch, and how often you get mails about each.',
    done: {
      watched: 'You now watch this area.',
      saved: 'Saved.',
      renewed: 'The area has new private addresses. The old ones no longer work.',
      removed: 'You no longer watch this area, and its private addresses no longer work.',
    },
    none: 'You do not watch any area yet.',
    empty: 'If you watch one, you get mails about it: at once, daily or weekly.',
    draw: 'Draw an area on the map',
    chooseCity: 'Choose a city to watch',
    chooseIssue: 'Or open an issue near you and choose “Watch this area”.',
    map: (area) => `Map of ${area}`,
    add: 'Watch another area',
    allAreas: 'Map of your areas. Choose one to go to its entry.',
    showIssues: 'See these issues on the map',
    edit: 'Edit',
    addresses: 'Private addresses',
    delete: 'Delete',
    actionLabel: (action, area) => `${action}: ${area}`,
  },
  es: {
    description: 'Las zonas que vigilas, y con qué frecuencia recibes correos sobre cada una.',
    done: {
      watched: 'Ahora vigilas esta zona.',
      saved: 'Guardado.',
      renewed: 'La zona tiene direcciones privadas nuevas. Las antiguas ya no funcionan.',
      removed: 'Ya no vigilas esta zona, y sus direcciones privadas han dejado de funcionar.',
    },
    none: 'Todavía no vigilas ninguna zona.',
    empty: 'Si vigilas una, recibes correos sobre ella: al momento, cada día o cada semana.',
    draw: 'Dibujar una zona en el mapa',
    chooseCity: 'Elige una ciudad para vigilarla',
    chooseIssue: 'O abre un reporte cercano y elige «Vigilar esta zona».',
    map: (area) => `Mapa de ${area}`,
    add: 'Vigilar otra zona',
    allAreas: 'Mapa de tus zonas. Elige una para ir a su entrada.',
    showIssues: 'Ver estos reportes en el mapa',
    edit: 'Editar',
    addresses: 'Direcciones privadas',
    delete: 'Borrar',
    actionLabel: (action, area) => `${action}: ${area}`,
  },
  fr: {
    description: 'Les zones que vous surveillez, et la fréquence des courriels sur chacune.',
    done: {
      watched: 'Vous surveillez maintenant cette zone.',
      saved: 'Enregistré.',
      renewed: 'La zone a de nouvelles adresses privées. Les anciennes ne fonctionnent plus.',
      removed: 'Vous ne surveillez plus cette zone, et ses adresses privées ne fonctionnent plus.',
    },
    none: 'Vous ne surveillez encore aucune zone.',
    empty: 'Si vous en surveillez une, vous recevez des courriels à son sujet : tout de suite, chaque jour ou chaque semaine.',
    draw: 'Dessiner une zone sur la carte',
    chooseCity: 'Choisissez une ville à surveiller',
    chooseIssue: 'Ou ouvrez un signalement près de vous et choisissez « Surveiller cette zone ».',
    map: (area) => `Carte « ${area} »`,
    add: 'Surveiller une autre zone',
    allAreas: 'Carte de vos zones. Choisissez-en une pour aller à son entrée.',
    showIssues: 'Voir ces signalements sur la carte',
    edit: 'Modifier',
    addresses: 'Adresses privées',
    delete: 'Supprimer',
    actionLabel: (action, area) => `${action} : ${area}`,
  },
}
