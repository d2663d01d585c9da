import type { Messages } from './messages.ts'

/** Parameters of lists: areas, points, sorting. */
export const lists = {
  parameter_misspelt: {
    en: 'did you mean {names}? This operation has no parameter of this name',
    es: '¿querías decir {names}? Esta operación no tiene ningún parámetro con este nombre',
    fr: 'vouliez-vous dire {names} ? Cette opération n’a pas de paramètre de ce nom',
  },
  area_unsupported: {
    en: 'is unknown: this list has no such area',
    es: 'es desconocido: esta lista no tiene esa área',
    fr: 'est inconnu : cette liste n’a pas cette zone',
  },
  parameter_of_ogc: {
    en: 'is a parameter of items of /ogc, not of this address. To select issues by a property, use filter',
    es: 'es un parámetro de los elementos de /ogc, no de esta dirección. Para elegir reportes por una propiedad, usa filter',
    fr: 'est un paramètre des éléments de /ogc, pas de cette adresse. Pour choisir des signalements par une propriété, utilisez filter',
  },
  required_together: {
    en: 'is required together with {names}',
    es: 'es obligatorio junto con {names}',
    fr: 'est obligatoire avec {names}',
  },
  unknown_names: {
    en: 'contains unknown values: {names}',
    es: 'contiene valores desconocidos: {names}',
    fr: 'contient des valeurs inconnues : {names}',
  },
  names_only_with_details: {
    en: 'has names that need details=true: {names}',
    es: 'tiene nombres que necesitan details=true: {names}',
    fr: 'contient des noms qui demandent details=true : {names}',
  },
  only_in_json: {
    en: 'is only for JSON: leave it out, or send Accept: application/json',
    es: 'es solo para JSON: quítalo o envía Accept: application/json',
    fr: 'n’est possible qu’en JSON : retirez-le ou envoyez Accept: application/json',
  },
  distance_without_point: {
    en: 'by distance needs a point: give lat and lng, or an area',
    es: 'por distancia necesita un punto: indica lat y lng, o una zona',
    fr: 'par distance demande un point : indiquez lat et lng, ou une zone',
  },
  too_many_words: {
    en: 'must have at most {max, number} words',
    es: 'debe tener {max, number} palabras como máximo',
    fr: 'doit avoir au plus {max, number} mots',
  },
  greater_than_max_lat: {
    en: 'must not be greater than max_lat',
    es: 'no debe ser mayor que max_lat',
    fr: 'ne doit pas être supérieur à max_lat',
  },
  place_unknown: {
    en: 'is not the url_name of a place',
    es: 'no es el url_name de un lugar',
    fr: 'n’est pas le url_name d’un lieu',
  },
  watch_token_unknown: {
    en: 'is not the token of a watch area',
    es: 'no es el token de una zona de vigilancia',
    fr: 'n’est pas le jeton d’une zone surveillée',
  },
  request_type_unknown: {
    en: 'is not the id of a request type',
    es: 'no es el id de un tipo de solicitud',
    fr: 'n’est pas l’id d’un type de demande',
  },
  address_not_geocoded: {
    en: 'is not geocoded here: geocode the address on the client and send lat and lng',
    es: 'no se geocodifica aquí: geocodifica la dirección en el cliente y envía lat y lng',
    fr: 'n’est pas géocodé ici : géocodez l’adresse chez le client et envoyez lat et lng',
  },
  address_not_found: {
    en: 'was not found: send lat and lng instead',
    es: 'no se ha encontrado: envía lat y lng en su lugar',
    fr: 'n’a pas été trouvé : envoyez plutôt lat et lng',
  },
  parameters_too_long: {
    en: 'the parameters are too long: percent-encoded, the addresses of further pages would exceed {max, number, ::group-off} characters',
    es: 'los parámetros son demasiado largos: codificadas por porcentaje, las direcciones de las demás páginas pasarían de {max, number} caracteres',
    fr: 'les paramètres sont trop longs : en encodage-pourcent, les adresses des autres pages dépasseraient {max, number} caractères',
  },
} as const satisfies Messages
