import type { Messages } from './messages.ts'

/** Parameters and fields of GeoReport v2. */
export const open311 = {
  key_needed: {
    en: 'This needs a key: send a token of your account as api_key over HTTPS, or as Authorization: Bearer.',
    es: 'Para esto hace falta una clave: envía un token de tu cuenta como api_key por HTTPS o como Authorization: Bearer.',
    fr: 'Une clé est nécessaire : envoyez un jeton de votre compte comme api_key en HTTPS, ou comme Authorization: Bearer.',
  },
  key_wrong: {
    en: 'The key is wrong: send a token of your account as api_key, or as Authorization: Bearer. Passwords and cookies are not accepted.',
    es: 'La clave no es correcta: envía un token de tu cuenta como api_key o como Authorization: Bearer. No se aceptan contraseñas ni cookies.',
    fr: 'La clé est incorrecte : envoyez un jeton de votre compte comme api_key ou Authorization: Bearer. Les mots de passe et cookies sont refusés.',
  },
  key_over_http: {
    en: 'api_key is accepted over HTTPS only: send the token as Authorization: Bearer.',
    es: 'api_key solo se acepta por HTTPS: envía el token como Authorization: Bearer.',
    fr: 'api_key n’est accepté qu’en HTTPS : envoyez le jeton sous la forme Authorization: Bearer.',
  },
  location_needed: {
    en: 'is required: send lat and long, or address_string',
    es: 'es obligatorio: envía lat y long, o address_string',
    fr: 'est obligatoire : envoyez lat et long, ou address_string',
  },
  report_is_here: {
    en: 'This report was forwarded from here: see the issue in the header Link.',
    es: 'Este reporte se envió desde aquí: consulta la incidencia de la cabecera Link.',
    fr: 'Ce signalement a été transmis depuis ce service : voir celui de l’en-tête Link.',
  },
  address_id_unknown: {
    en: 'is stored but gives no location here: send lat and long as well, or address_string',
    es: 'se guarda, pero aquí no indica un lugar: envía también lat y long, o address_string',
    fr: 'est conservé mais ne donne pas de lieu ici : envoyez aussi lat et long, ou address_string',
  },
  address_string_not_geocoded: {
    en: 'is not geocoded here: send lat and long as well',
    es: 'no se geocodifica aquí: envía también lat y long',
    fr: 'n’est pas géocodé ici : envoyez aussi lat et long',
  },
  address_string_not_found: {
    en: 'was not found: send lat and long as well',
    es: 'no se ha encontrado: envía también lat y long',
    fr: 'n’a pas été trouvé : envoyez aussi lat et long',
  },
  outside_of_service: {
    en: 'is outside the area of this service',
    es: 'queda fuera de la zona de este servicio',
    fr: 'se trouve hors de la zone de ce service',
  },
  attributes_not_by_code: {
    en: 'must be sent as attribute[code]',
    es: 'debe enviarse como attribute[código]',
    fr: 'doit être envoyé sous la forme attribute[code]',
  },
  media_not_fetched: {
    en: 'is not fetched: send the picture as media in a multipart/form-data request',
    es: 'no se descarga: envía la imagen como media en una petición multipart/form-data',
    fr: 'n’est pas téléchargé : envoyez l’image comme media dans une requête multipart/form-data',
  },
  media_host_not_listed: {
    en: 'must be an https address of {hosts}: other pictures are sent as media in a multipart/form-data request',
    es: 'debe ser una dirección https de {hosts}: otras imágenes se envían como media en una petición multipart/form-data',
    fr: 'doit être une adresse https de {hosts} : les autres images sont envoyées comme media dans une requête multipart/form-data',
  },
  media_not_accepted: {
    en: 'is not accepted: this service asks for no picture',
    es: 'no se acepta: este servicio no pide ninguna imagen',
    fr: 'n’est pas accepté : ce service ne demande pas d’image',
  },
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
    fr: 'ne doit pas être plus de {days, number} jours après start_date : demandez des périodes plus courtes l’une après l’autre',
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
