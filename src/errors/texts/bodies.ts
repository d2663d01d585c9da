import type { Messages } from './messages.ts'

/** Bodies that cannot be read, and text that cannot be stored. */
export const bodies = {
  body_unreadable: { en: 'The body cannot be read.', es: 'No se puede leer el cuerpo.', fr: 'Le corps ne peut pas être lu.' },
  body_encoding_wrong: {
    en: 'The body is not UTF-8.',
    es: 'El cuerpo no está en UTF-8.',
    fr: 'Le corps n’est pas en UTF-8.',
  },
  body_not_json: {
    en: 'The body is not valid JSON.',
    es: 'El cuerpo no es JSON válido.',
    fr: 'Le corps n’est pas du JSON valide.',
  },
  body_empty: {
    en: 'The body is empty, though its type is application/json.',
    es: 'El cuerpo está vacío, aunque su tipo es application/json.',
    fr: 'Le corps est vide, bien que son type soit application/json.',
  },
  body_length_wrong: {
    en: 'The length of the body does not match Content-Length.',
    es: 'La longitud del cuerpo no coincide con Content-Length.',
    fr: 'La longueur du corps ne correspond pas à Content-Length.',
  },
  body_too_large: { en: 'The body is too large.', es: 'El cuerpo es demasiado grande.', fr: 'Le corps est trop volumineux.' },
  body_too_deep: {
    en: 'The body is nested more than {levels, number} levels deep.',
    es: 'El cuerpo está anidado a más de {levels, number} niveles de profundidad.',
    fr: 'Le corps est imbriqué sur plus de {levels, number} niveaux.',
  },
  form_too_large: {
    en: 'A form may have {files, number} files of {size, number} MB, and 1 MB of other fields.',
    es: 'Un formulario puede tener {files, number} archivos de {size, number} MB, y 1 MB de otros campos.',
    fr: 'Un formulaire peut avoir {files, number} fichiers de {size, number} Mo, et 1 Mo d’autres champs.',
  },
  form_fields_too_large: {
    en: 'The fields of the form are longer than 1 MB.',
    es: 'Los campos del formulario ocupan más de 1 MB.',
    fr: 'Les champs du formulaire dépassent 1 Mo.',
  },
  file_too_large: {
    en: 'A file may have {size, number} MB at most.',
    es: 'Un archivo puede tener {size, number} MB como máximo.',
    fr: 'Un fichier peut faire {size, number} Mo au plus.',
  },
  form_part_without_name: {
    en: 'A part of the form has no name.',
    es: 'Una parte del formulario no tiene nombre.',
    fr: 'Une partie du formulaire n’a pas de nom.',
  },
  form_name_too_long: {
    en: 'A field of the form has a name of more than {max, number, ::group-off} characters.',
    es: 'Un campo del formulario tiene un nombre de más de {max, number} caracteres.',
    fr: 'Un champ du formulaire a un nom de plus de {max, number} caractères.',
  },
  form_too_many_fields: {
    en: 'The form has more than {max, number, ::group-off} fields.',
    es: 'El formulario tiene más de {max, number} campos.',
    fr: 'Le formulaire a plus de {max, number} champs.',
  },
  form_too_many_files: {
    en: 'The form has more than {max, number} files.',
    es: 'El formulario tiene más de {max, number} archivos.',
    fr: 'Le formulaire a plus de {max, number} fichiers.',
  },
  form_name_used_twice: {
    en: 'The form uses the same name for a value and a group: {name}.',
    es: 'El formulario usa el mismo nombre para un valor y un grupo: {name}.',
    fr: 'Le formulaire utilise le même nom pour une valeur et un groupe : {name}.',
  },
  form_name_invalid: {
    en: 'A field of the form has a name that is not allowed.',
    es: 'Un campo del formulario tiene un nombre que no está permitido.',
    fr: 'Un champ du formulaire porte un nom qui n’est pas permis.',
  },
  form_field_not_json: {
    en: 'A field of the form is declared as JSON but is not valid JSON.',
    es: 'Un campo del formulario está declarado como JSON, pero no es JSON válido.',
    fr: 'Un champ du formulaire est déclaré comme JSON, mais n’est pas du JSON valide.',
  },
  form_damaged: {
    en: 'The form is damaged or incomplete: send it again.',
    es: 'El formulario está dañado o incompleto: envíalo de nuevo.',
    fr: 'Le formulaire est endommagé ou incomplet : renvoyez-le.',
  },
  is_file: { en: 'must not be a file', es: 'no debe ser un archivo', fr: 'ne doit pas être un fichier' },
  has_nul: {
    en: 'must not contain the character U+0000',
    es: 'no debe contener el carácter U+0000',
    fr: 'ne doit pas contenir le caractère U+0000',
  },
  has_unpaired_surrogate: {
    en: 'must be valid Unicode text: it contains half of a character (an unpaired surrogate)',
    es: 'debe ser texto Unicode válido: contiene la mitad de un carácter (un sustituto sin pareja)',
    fr: 'doit être un texte Unicode valide : il contient la moitié d’un caractère (un substitut isolé)',
  },
} as const satisfies Messages
