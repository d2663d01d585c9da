import type { Messages } from './messages.ts'

/** Of bodies that cannot be read, and of text that cannot be kept. */
export const bodies = {
  body_unreadable: { en: 'The body cannot be read.', es: 'No se puede leer el cuerpo.', fr: 'Le corps ne peut pas être lu.' },
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
    en: 'The body is not as long as Content-Length says.',
    es: 'El cuerpo no es tan largo como dice Content-Length.',
    fr: 'Le corps n’a pas la longueur qu’annonce Content-Length.',
  },
  body_too_large: { en: 'The body is too large.', es: 'El cuerpo es demasiado grande.', fr: 'Le corps est trop volumineux.' },
  body_too_deep: {
    en: 'The body is nested more than {levels, number} levels deep.',
    es: 'El cuerpo está anidado a más de {levels, number} niveles de profundidad.',
    fr: 'Le corps est imbriqué sur plus de {levels, number} niveaux.',
  },
  form_too_large: {
    en: 'A form may have {files, number} files of {size}, and 1 MB of other fields.',
    es: 'Un formulario puede tener {files, number} archivos de {size}, y 1 MB de otros campos.',
    fr: 'Un formulaire peut avoir {files, number} fichiers de {size}, et 1 MB d’autres champs.',
  },
  form_fields_too_large: {
    en: 'The fields of the form are longer than 1 MB.',
    es: 'Los campos del formulario ocupan más de 1 MB.',
    fr: 'Les champs du formulaire dépassent 1 MB.',
  },
  file_too_large: {
    en: 'A file may have {size} at most.',
    es: 'Un archivo puede tener {size} como máximo.',
    fr: 'Un fichier peut faire {size} au plus.',
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
    en: 'The form gives a value and a group of the same name: {name}.',
    es: 'El formulario da un valor y un grupo con el mismo nombre: {name}.',
    fr: 'Le formulaire donne une valeur et un groupe du même nom : {name}.',
  },
  form_name_impossible: {
    en: 'A field of the form has a name that no field can have.',
    es: 'Un campo del formulario tiene un nombre que ningún campo puede tener.',
    fr: 'Un champ du formulaire porte un nom qu’aucun champ ne peut avoir.',
  },
  form_field_not_json: {
    en: 'A field of the form says that it is JSON, and is not.',
    es: 'Un campo del formulario dice que es JSON, y no lo es.',
    fr: 'Un champ du formulaire dit être du JSON, et n’en est pas.',
  },
  form_damaged: {
    en: 'The form is damaged, or ends before its end.',
    es: 'El formulario está dañado, o se acaba antes de su final.',
    fr: 'Le formulaire est endommagé, ou s’arrête avant sa fin.',
  },
  is_file: { en: 'must not be a file', es: 'no debe ser un archivo', fr: 'ne doit pas être un fichier' },
  has_nul: {
    en: 'must not contain the character U+0000',
    es: 'no debe contener el carácter U+0000',
    fr: 'ne doit pas contenir le caractère U+0000',
  },
  has_half_character: {
    en: 'must be whole text: it holds one half of a character that takes two (an unpaired surrogate)',
    es: 'debe ser texto completo: contiene la mitad de un carácter que ocupa dos (un sustituto sin pareja)',
    fr: 'doit être un texte entier : il contient la moitié d’un caractère qui en prend deux (un substitut isolé)',
  },
} as const satisfies Messages
