import type { Texts } from './texts.ts'

/** Ajv's own words, for fields whose schema does not say what is allowed. */
export const ofSchemas = {
  'is not allowed': { es: 'no está permitido', fr: 'n’est pas permis' },
  'must be equal to constant': { es: 'debe ser igual a la constante', fr: 'doit être égal à la constante' },
  'must be equal to one of the allowed values': {
    es: 'debe ser igual a uno de los valores permitidos',
    fr: 'doit être égal à l’une des valeurs permises',
  },
  'must NOT have additional properties': { es: 'no debe tener otras propiedades', fr: 'ne doit pas avoir d’autres propriétés' },
  'must NOT have more than {max, number} characters': {
    es: 'no debe tener más de {max, number} caracteres',
    fr: 'ne doit pas avoir plus de {max, number} caractères',
  },
  'must NOT have fewer than {min, number} characters': {
    es: 'no debe tener menos de {min, number} caracteres',
    fr: 'ne doit pas avoir moins de {min, number} caractères',
  },
  'must NOT have more than {max, number} items': {
    es: 'no debe tener más de {max, number} elementos',
    fr: 'ne doit pas avoir plus de {max, number} éléments',
  },
  'must NOT have fewer than {min, number} items': {
    es: 'no debe tener menos de {min, number} elementos',
    fr: 'ne doit pas avoir moins de {min, number} éléments',
  },
  'must be >= {min, number}': { es: 'debe ser >= {min, number}', fr: 'doit être >= {min, number}' },
  'must be <= {max, number}': { es: 'debe ser <= {max, number}', fr: 'doit être <= {max, number}' },
  'must match pattern "{pattern}"': { es: 'debe seguir el patrón «{pattern}»', fr: 'doit suivre le motif « {pattern} »' },
  'must match format "{format}"': { es: 'debe tener el formato «{format}»', fr: 'doit avoir le format « {format} »' },
  'must match a schema in anyOf': {
    es: 'debe cumplir uno de los esquemas de anyOf',
    fr: 'doit satisfaire un des schémas de anyOf',
  },
  string: { es: 'texto', fr: 'du texte' },
  'string,null': { es: 'texto o null', fr: 'du texte ou null' },
  integer: { es: 'un entero', fr: 'un entier' },
  number: { es: 'un número', fr: 'un nombre' },
  boolean: { es: 'true o false', fr: 'true ou false' },
  array: { es: 'una lista', fr: 'une liste' },
  object: { es: 'un objeto', fr: 'un objet' },
} satisfies Texts
