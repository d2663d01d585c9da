import type { Messages } from './messages.ts'

/** Whole downloads. */
export const exports = {
  exports_off: {
    en: 'Downloads of everything are turned off on this server. Use GET /api/v2/issues, page by page.',
    es: 'Las descargas completas están desactivadas en este servidor. Usa GET /api/v2/issues, página por página.',
    fr: 'Les téléchargements complets sont désactivés sur ce serveur. Utilisez GET /api/v2/issues, page par page.',
  },
  too_many_exports: {
    en: 'Already {max, number} whole downloads are running for this client: try again when one of them has ended.',
    es: 'Ya hay {max, number} descargas completas en curso para este cliente: inténtalo de nuevo cuando termine una de ellas.',
    fr: '{max, number} téléchargements complets sont déjà en cours pour ce client : réessayez quand l’un d’eux sera terminé.',
  },
  export_too_large: {
    en: 'The file would be larger than {size, number} MB: ask for a smaller area or a shorter period.',
    es: 'El archivo pesaría más de {size, number} MB: pide una zona más pequeña o un período más corto.',
    fr: 'Le fichier dépasserait {size, number} Mo : demandez une zone plus petite ou une période plus courte.',
  },
  export_format_unknown: {
    en: 'There is no such format here. The formats are {formats}.',
    es: 'Aquí no existe ese formato. Los formatos son {formats}.',
    fr: 'Ce format n’existe pas ici. Les formats sont {formats}.',
  },
} as const satisfies Messages
