import type { Messages } from './messages.ts'

/** Whole downloads. */
export const exports = {
  exports_off: {
    en: 'This server does not offer downloads of everything at once: ask for pages with per_page.',
    es: 'Este servidor no permite descargar todo de una vez: pide páginas con per_page.',
    fr: 'Ce serveur ne permet pas de tout télécharger à la fois : demandez des pages avec per_page.',
  },
  too_many_exports: {
    en: 'Already {max, number} whole downloads are running for this client: try again when one of them has ended.',
    es: 'Ya hay {max, number} descargas completas en curso para este cliente: inténtalo de nuevo cuando termine una de ellas.',
    fr: 'Déjà {max, number} téléchargements complets sont en cours pour ce client : réessayez quand l’un d’eux sera terminé.',
  },
  export_too_large: {
    en: 'The file would be larger than {size, number} MB: ask for a smaller area or a shorter time.',
    es: 'El archivo pesaría más de {size, number} MB: pide una zona más pequeña o menos tiempo.',
    fr: 'Le fichier dépasserait {size, number} Mo : demandez une zone plus petite ou une durée plus courte.',
  },
  export_format_unknown: {
    en: 'There is no such format here. The formats are {formats}.',
    es: 'Aquí no existe ese formato. Los formatos son {formats}.',
    fr: 'Ce format n’existe pas ici. Les formats sont {formats}.',
  },
} as const satisfies Messages
