import type { Messages } from './messages.ts'

/** Parameters of GeoReport v2. */
export const open311 = {
  integer_between: {
    en: 'an integer from {min, number, ::group-off} to {max, number, ::group-off}',
    es: 'un número entero de {min, number} a {max, number}',
    fr: 'un entier de {min, number} à {max, number}',
  },
  service_request_ids: {
    en: 'a comma-separated list of at most {max, number} service request ids',
    es: 'una lista separada por comas de {max, number} id de solicitudes como máximo',
    fr: 'une liste séparée par des virgules d’au plus {max, number} id de demandes',
  },
  service_codes: {
    en: 'a comma-separated list of at most {max, number} service codes',
    es: 'una lista separada por comas de {max, number} códigos de servicio como máximo',
    fr: 'une liste séparée par des virgules d’au plus {max, number} codes de service',
  },
  span_too_long: {
    en: 'must not be more than {days, number} days after start_date: ask for shorter periods one after another',
    es: 'no debe ser más de {days, number} días posterior a start_date: pide períodos más cortos uno tras otro',
    fr: 'ne doit pas être plus de {days, number} jours après start_date : demandez des périodes plus courtes l’une après l’autre',
  },
  west_south_east_north: {
    en: 'four numbers, west, south, east and north, such as -105.1,39.6,-104.8,39.9',
    es: 'cuatro números, oeste, sur, este y norte, como -105.1,39.6,-104.8,39.9',
    fr: 'quatre nombres, ouest, sud, est et nord, comme -105.1,39.6,-104.8,39.9',
  },
  not_in_bulk_downloads: {
    en: 'is not available in bulk downloads, which have no pages and contain all service requests of their filters',
    es: 'no está disponible en las descargas masivas, que no tienen páginas y contienen todas las solicitudes de sus filtros',
    fr: 'n’est pas disponible dans les téléchargements en masse, qui n’ont pas de pages et contiennent toutes les demandes de leurs filtres',
  },
} as const satisfies Messages
