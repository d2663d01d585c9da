import type { Messages } from './messages.ts'

/** Allowed values of a field (`x-allowed` of its schema). They follow "must be" and "is required:". */
export const allowedValues = {
  must_be: { en: 'must be {allowed}', es: 'debe ser {allowed}', fr: 'doit être {allowed}' },
  is_required_as: { en: 'is required: {allowed}', es: 'es obligatorio: {allowed}', fr: 'est obligatoire : {allowed}' },
  is_required: { en: 'is required', es: 'es obligatorio', fr: 'est obligatoire' },
  given_repeatedly: {
    en: 'must be given only once',
    es: 'debe indicarse solo una vez',
    fr: 'ne doit être indiqué qu’une seule fois',
  },
  is_blank: { en: 'must not be blank', es: 'no debe estar en blanco', fr: 'ne doit pas être vide' },
  has_too_many_characters: {
    en: 'must not have more than {max, number, ::group-off} characters',
    es: 'no debe tener más de {max, number} caracteres',
    fr: 'ne doit pas avoir plus de {max, number} caractères',
  },
  any_text: { en: 'text', es: 'texto', fr: 'du texte' },
  adder_password: {
    en: 'the password of the account that added the address',
    es: 'la contraseña de la cuenta que añadió la dirección',
    fr: 'le mot de passe du compte qui a ajouté l’adresse',
  },
  only_true: { en: 'true', es: 'true', fr: 'true' },
  true_or_false: { en: 'true or false', es: 'true o false', fr: 'true ou false' },
  one_of: { en: 'one of {values}', es: 'uno de {values}', fr: 'l’une des valeurs {values}' },
  list_of: {
    en: 'a list of one or more of {values}',
    es: 'una lista de uno o varios de {values}',
    fr: 'une liste d’une ou plusieurs des valeurs {values}',
  },
  comma_list_with_details: {
    en: 'a comma-separated list of {values}, and with details=true {more}',
    es: 'una lista separada por comas de {values}, y con details=true {more}',
    fr: 'une liste séparée par des virgules de {values}, et avec details=true {more}',
  },
  comma_list: {
    en: 'a comma-separated list of {values}',
    es: 'una lista separada por comas de {values}',
    fr: 'une liste séparée par des virgules de {values}',
  },
  request_type_ids: {
    en: 'a comma-separated list of at most {max, number} request type ids, or other',
    es: 'una lista separada por comas de {max, number} id de tipos de solicitud como máximo, u other',
    fr: 'une liste séparée par des virgules d’au plus {max, number} id de types de demande, ou other',
  },
  issue_ids: {
    en: 'a comma-separated list of at most {max, number} issue ids',
    es: 'una lista de hasta {max, number} números de reporte separados por comas',
    fr: 'une liste d’au plus {max, number} numéros de signalement séparés par des virgules',
  },
  organization_ids: {
    en: 'a comma-separated list of at most {max, number} organisation ids',
    es: 'una lista separada por comas de {max, number} id de organizaciones como máximo',
    fr: 'une liste séparée par des virgules d’au plus {max, number} id d’organisations',
  },
  user_ids: {
    en: 'a comma-separated list of at most {max, number} user ids, or unassigned',
    es: 'una lista separada por comas de {max, number} id de usuarios como máximo, o unassigned',
    fr: 'une liste séparée par des virgules d’au plus {max, number} id d’utilisateurs, ou unassigned',
  },
  integer: { en: 'an integer', es: 'un entero', fr: 'un entier' },
  number_between: {
    en: 'a number from {min, number, ::group-off} to {max, number, ::group-off}',
    es: 'un número de {min, number} a {max, number}',
    fr: 'un nombre de {min, number} à {max, number}',
  },
  degrees_between: {
    en: 'a number from {min, number} to {max, number}, in degrees',
    es: 'un número de {min, number} a {max, number}, en grados',
    fr: 'un nombre de {min, number} à {max, number}, en degrés',
  },
  decimal_number: {
    en: 'a number, in digits, with a point before decimals',
    es: 'un número, en cifras, con un punto antes de los decimales',
    fr: 'un nombre, en chiffres, avec un point avant les décimales',
  },
  a_text_up_to: {
    en: 'a text of at most {max, number} characters',
    es: 'un texto de {max, number} caracteres como máximo',
    fr: 'un texte d’au plus {max, number} caractères',
  },
  a_text_between: {
    en: 'a text of {min, number} to {max, number} characters',
    es: 'un texto de {min, number} a {max, number} caracteres',
    fr: 'un texte de {min, number} à {max, number} caractères',
  },
  text_up_to: {
    en: 'text of at most {max, number} characters',
    es: 'texto de {max, number} caracteres como máximo',
    fr: 'du texte d’au plus {max, number} caractères',
  },
  text_between: {
    en: 'text of {min, number} to {max, number} characters',
    es: 'texto de {min, number} a {max, number} caracteres',
    fr: 'du texte de {min, number} à {max, number} caractères',
  },
  timestamp_in_address: {
    en: 'an ISO 8601 timestamp such as 2026-01-31T00:00:00Z (write the + of an offset as %2B)',
    es: 'una marca de tiempo ISO 8601 como 2026-01-31T00:00:00Z (escribe como %2B el + de un desfase)',
    fr: 'un horodatage ISO 8601 tel que 2026-01-31T00:00:00Z (écrivez %2B pour le + d’un décalage)',
  },
  timestamp: {
    en: 'an ISO 8601 timestamp such as {example}',
    es: 'una marca de tiempo ISO 8601 como {example}',
    fr: 'un horodatage ISO 8601 tel que {example}',
  },
  language_tag: {
    en: 'a language tag such as en or pt-BR',
    es: 'una etiqueta de idioma como en o pt-BR',
    fr: 'une étiquette de langue telle que en ou pt-BR',
  },
  email_address: { en: 'an e-mail address', es: 'una dirección de correo', fr: 'une adresse e-mail' },
  email_address_up_to: {
    en: 'an e-mail address of at most {max, number} characters',
    es: 'una dirección de correo de {max, number} caracteres como máximo',
    fr: 'une adresse e-mail d’au plus {max, number} caractères',
  },
  password_up_to: {
    en: 'a password of at most {max, number} characters',
    es: 'una contraseña de {max, number} caracteres como máximo',
    fr: 'un mot de passe d’au plus {max, number} caractères',
  },
  password_once_more: {
    en: 'the same password again',
    es: 'la misma contraseña otra vez',
    fr: 'le même mot de passe une seconde fois',
  },
  present_password: { en: 'your current password', es: 'tu contraseña actual', fr: 'votre mot de passe actuel' },
  link_token: {
    en: 'the token of a link that we sent',
    es: 'el token de un enlace que enviamos',
    fr: 'le jeton d’un lien que nous avons envoyé',
  },
  url_name_of_place: { en: 'the url_name of a place', es: 'el url_name de un lugar', fr: 'le url_name d’un lieu' },
  request_type_id_or_other: {
    en: 'the id of a request type, or other',
    es: 'el id de un tipo de solicitud, u other',
    fr: 'l’id d’un type de demande, ou other',
  },
  video_address: {
    en: 'the address of a video on YouTube',
    es: 'la dirección de un vídeo de YouTube',
    fr: 'l’adresse d’une vidéo sur YouTube',
  },
  uploaded_file: {
    en: 'a file, sent as multipart/form-data',
    es: 'un archivo, enviado como multipart/form-data',
    fr: 'un fichier, envoyé en multipart/form-data',
  },
  picture: {
    en: 'a PNG, JPEG, GIF, WebP or HEIC picture',
    es: 'una imagen PNG, JPEG, GIF, WebP o HEIC',
    fr: 'une image PNG, JPEG, GIF, WebP ou HEIC',
  },
  uploaded_picture: {
    en: 'a PNG, JPEG, GIF, WebP or HEIC picture of at most {max, number} MB, sent as multipart/form-data',
    es: 'una imagen PNG, JPEG, GIF, WebP o HEIC de {max, number} MB como máximo, enviada como multipart/form-data',
    fr: 'une image PNG, JPEG, GIF, WebP ou HEIC d’au plus {max, number} Mo, envoyée en multipart/form-data',
  },
  cursor_of_next_page: {
    en: 'the unchanged cursor of a next_page_url: follow that URL, or leave cursor out',
    es: 'el cursor de un next_page_url sin cambios: sigue esa URL u omite cursor',
    fr: 'le curseur d’un next_page_url sans modification : suivez cette URL, ou omettez cursor',
  },
  not_allowed: { en: 'is not allowed', es: 'no está permitido', fr: 'n’est pas permis' },
  longer_than: {
    en: 'must not have more than {max, number, ::group-off} characters',
    es: 'no debe tener más de {max, number} caracteres',
    fr: 'ne doit pas avoir plus de {max, number} caractères',
  },
  type_string: { en: 'string', es: 'texto', fr: 'du texte' },
  type_object: { en: 'object', es: 'un objeto', fr: 'un objet' },
} as const satisfies Messages
