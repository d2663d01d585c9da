import type { Language } from '../../errors/texts/languages.ts'

export interface PlaceSearchTexts {
  readonly label: string
  /** The label with a search for addresses, which fits the field on a phone. */
  readonly labelWithAddress: string
  readonly search: string
  readonly found: (words: string) => string
  readonly none: (words: string) => string
  readonly failures: {
    readonly searchFailed: string
    readonly searchLimited: string
    readonly searchTooLong: string
  }
}

export const placeSearchTexts: Readonly<Record<Language, PlaceSearchTexts>> = {
  en: {
    label: 'Find a place',
    labelWithAddress: 'Place or address',
    search: 'Find',
    found: (words) => `Found for “${words}”`,
    none: (words) => `Nothing was found for “${words}”. Check the spelling, or move the map.`,
    failures: {
      searchFailed: 'The address search does not answer now.',
      searchLimited: 'You have searched often in a short time. Wait a minute to search for addresses again.',
      searchTooLong: 'The text is too long for a search.',
    },
  },
  es: {
    label: 'Buscar un lugar',
    labelWithAddress: 'Lugar o dirección',
    search: 'Buscar',
    found: (words) => `Resultados para «${words}»`,
    none: (words) => `No se encontró nada para «${words}». Revisa la ortografía o mueve el mapa.`,
    failures: {
      searchFailed: 'La búsqueda de direcciones no responde ahora.',
      searchLimited: 'Has buscado muchas veces en poco tiempo. Espera un minuto para volver a buscar direcciones.',
      searchTooLong: 'El texto es demasiado largo para una búsqueda.',
    },
  },
  fr: {
    label: 'Trouver un lieu',
    labelWithAddress: 'Lieu ou adresse',
    search: 'Trouver',
    found: (words) => `Résultats pour « ${words} »`,
    none: (words) => `Rien n’a été trouvé pour « ${words} ». Vérifiez l’orthographe ou déplacez la carte.`,
    failures: {
      searchFailed: 'La recherche d’adresses ne répond pas en ce moment.',
      searchLimited: 'Vous avez beaucoup cherché en peu de temps. Attendez une minute avant de chercher à nouveau des adresses.',
      searchTooLong: 'Le texte est trop long pour une recherche.',
    },
  },
}
