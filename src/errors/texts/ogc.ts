import type { Messages } from './messages.ts'

export const ogc = {
  parameter_error: { en: '{name}: {reason}', es: '{name}: {reason}', fr: '{name} : {reason}' },
  two_errors: { en: '{first}; {second}', es: '{first}; {second}', fr: '{first} ; {second}' },
  parameter_unknown: {
    en: 'is not a parameter of this address; the parameters are {names}',
    es: 'no es un parámetro de esta dirección; los parámetros son {names}',
    fr: 'n’est pas un paramètre de cette adresse ; les paramètres sont {names}',
  },
  token_in_page: {
    en: 'is secret and cannot be part of a page, whose address is shared: use f=json or another area',
    es: 'es secreto y no puede formar parte de una página, cuya dirección se comparte: usa f=json u otra zona',
    fr: 'est secret et ne peut pas figurer dans une page, dont l’adresse est partagée : utilisez f=json ou une autre zone',
  },
  positive_integer: { en: 'an integer above 0', es: 'un número entero mayor que 0', fr: 'un entier supérieur à 0' },
  excluded_by: {
    en: 'must not be given together with {name}',
    es: 'no debe indicarse junto con {name}',
    fr: 'ne doit pas être indiqué avec {name}',
  },
  bbox_numbers: {
    en: 'four or six numbers, the lower corner first, such as -105.1,39.6,-104.8,39.9',
    es: 'cuatro o seis números, primero la esquina inferior, como -105.1,39.6,-104.8,39.9',
    fr: 'quatre ou six nombres, le coin inférieur en premier, comme -105.1,39.6,-104.8,39.9',
  },
  datetime_interval: {
    en: 'an instant such as 2026-01-31T00:00:00Z, or an interval such as 2026-01-01T00:00:00Z/.. that does not end before it begins',
    es: 'un instante como 2026-01-31T00:00:00Z, o un intervalo como 2026-01-01T00:00:00Z/.. que no acabe antes de empezar',
    fr: 'un instant comme 2026-01-31T00:00:00Z, ou un intervalle comme 2026-01-01T00:00:00Z/.. qui ne finit pas avant de commencer',
  },
  an_integer: { en: 'an integer', es: 'un número entero', fr: 'un entier' },
  page_cursor: {
    en: 'the cursor of a next link with the same sortby',
    es: 'el cursor de un enlace next con el mismo sortby',
    fr: 'le cursor d’un lien next avec le même sortby',
  },
  at_character: {
    en: 'at character {position, number, ::group-off}: {reason}',
    es: 'en el carácter {position, number, ::group-off}: {reason}',
    fr: 'au caractère {position, number, ::group-off} : {reason}',
  },
  at_path: { en: 'at {path}: {reason}', es: 'en {path}: {reason}', fr: 'à {path} : {reason}' },
  at_root: { en: 'at the root: {reason}', es: 'en la raíz: {reason}', fr: 'à la racine : {reason}' },
  expected_found: {
    en: 'expected {expected}, found {found}',
    es: 'se esperaba {expected}, pero hay {found}',
    fr: '{expected} attendu, {found} trouvé',
  },
  expected_only: { en: 'expected {expected}', es: 'se esperaba {expected}', fr: '{expected} attendu' },
  filter_end: { en: 'the end', es: 'el final', fr: 'la fin' },
  filter_value: { en: 'a property or value', es: 'una propiedad o un valor', fr: 'une propriété ou une valeur' },
  filter_comparison: {
    en: '=, <>, <, <=, >, >=, LIKE, BETWEEN, IN or IS NULL',
    es: '=, <>, <, <=, >, >=, LIKE, BETWEEN, IN o IS NULL',
    fr: '=, <>, <, <=, >, >=, LIKE, BETWEEN, IN ou IS NULL',
  },
  filter_pattern: {
    en: 'a pattern as text that does not end with a single backslash',
    es: 'un patrón como texto que no termine con una sola barra invertida',
    fr: 'un motif sous forme de texte qui ne finit pas par une seule barre oblique inverse',
  },
  filter_number: { en: 'a number', es: 'un número', fr: 'un nombre' },
  filter_text: { en: 'text', es: 'texto', fr: 'un texte' },
  filter_boolean: { en: 'true or false', es: 'true o false', fr: 'true ou false' },
  filter_instant: { en: 'a date or timestamp', es: 'una fecha o una marca de tiempo', fr: 'une date ou un horodatage' },
  filter_temporal: {
    en: 'a date, timestamp or interval',
    es: 'una fecha, una marca de tiempo o un intervalo',
    fr: 'une date, un horodatage ou un intervalle',
  },
  filter_geometry: { en: 'a geometry', es: 'una geometría', fr: 'une géométrie' },
  filter_position: {
    en: 'a longitude from -180 to 180 and a latitude from -90 to 90',
    es: 'una longitud de -180 a 180 y una latitud de -90 a 90',
    fr: 'une longitude de -180 à 180 et une latitude de -90 à 90',
  },
  filter_property_and_geometry: {
    en: 'the property geometry and a geometry',
    es: 'la propiedad geometry y una geometría',
    fr: 'la propriété geometry et une géométrie',
  },
  filter_property: { en: 'a property', es: 'una propiedad', fr: 'une propriété' },
  filter_arguments: {
    en: 'a list of {min, number} to {max, number} arguments',
    es: 'una lista de {min, number} a {max, number} argumentos',
    fr: 'une liste de {min, number} à {max, number} arguments',
  },
  filter_json: { en: 'a CQL2 expression as JSON', es: 'una expresión CQL2 en JSON', fr: 'une expression CQL2 en JSON' },
  property_unknown: {
    en: '{name} is not a property for filters; the properties are {names}',
    es: '{name} no es una propiedad para filtros; las propiedades son {names}',
    fr: '{name} n’est pas une propriété pour les filtres ; les propriétés sont {names}',
  },
  operator_unsupported: {
    en: '{name} is not supported; the functions are {names}',
    es: '{name} no está disponible; las funciones son {names}',
    fr: '{name} n’est pas pris en charge ; les fonctions sont {names}',
  },
  arithmetic_unsupported: {
    en: 'arithmetic is not supported',
    es: 'la aritmética no está disponible',
    fr: 'l’arithmétique n’est pas prise en charge',
  },
  filter_too_deep: {
    en: 'is nested more than {max, number} levels deep',
    es: 'tiene más de {max, number} niveles de anidamiento',
    fr: 'a plus de {max, number} niveaux d’imbrication',
  },
  filter_expected: {
    en: 'one CQL2 filter',
    es: 'un solo filtro CQL2',
    fr: 'un seul filtre CQL2',
  },
  filter_too_costly: {
    en: 'takes too long for {rows, number} rows; it may select among at most {max, number}, so select fewer with an area or a status, or use CASEI, ACCENTI, place_url_name, organization and request_type less often',
    es: 'tarda demasiado con {rows, number} filas; puede elegir entre {max, number} como máximo: limítalas con un área o un estado, o usa menos veces CASEI, ACCENTI, place_url_name, organization y request_type',
    fr: 'prend trop de temps pour {rows, number} lignes ; il peut choisir parmi {max, number} au plus : limitez-les par une zone ou un statut, ou utilisez moins souvent CASEI, ACCENTI, place_url_name, organization et request_type',
  },
  filter_too_large: {
    en: 'has more than {max, number, ::group-off} parts',
    es: 'tiene más de {max, number, ::group-off} partes',
    fr: 'a plus de {max, number, ::group-off} parties',
  },
} as const satisfies Messages
