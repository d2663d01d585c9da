import type { Texts } from './texts.ts'

/** What is allowed in a field (`x-allowed` of its schema): it follows "must be" and "is required:". */
export const allowed = {
  'must be {phrase}': { es: 'debe ser {phrase}', fr: 'doit être {phrase}' },
  'is required: {phrase}': { es: 'es obligatorio: {phrase}', fr: 'est obligatoire : {phrase}' },
  'is required': { es: 'es obligatorio', fr: 'est obligatoire' },
  'is needed': { es: 'hace falta', fr: 'est nécessaire' },
  'must be given once only': { es: 'debe indicarse una sola vez', fr: 'ne doit être indiqué qu’une seule fois' },
  'must not be blank': { es: 'no debe estar en blanco', fr: 'ne doit pas être vide' },
  'must not have more than {max, number} characters': {
    es: 'no debe tener más de {max, number} caracteres',
    fr: 'ne doit pas avoir plus de {max, number} caractères',
  },

  text: { es: 'texto', fr: 'du texte' },
  'the password of the account that added the address': {
    es: 'la contraseña de la cuenta que añadió la dirección',
    fr: 'le mot de passe du compte qui a ajouté l’adresse',
  },
  true: { es: 'true', fr: 'true' },
  'true or false': { es: 'true o false', fr: 'true ou false' },
  'one of {values}': { es: 'uno de {values}', fr: 'l’une des valeurs {values}' },
  'a list of one or more of {values}': {
    es: 'una lista de uno o varios de {values}',
    fr: 'une liste d’une ou plusieurs des valeurs {values}',
  },
  'a comma list of {values}, and with details=true {more}': {
    es: 'una lista separada por comas de {values}, y con details=true {more}',
    fr: 'une liste séparée par des virgules de {values}, et avec details=true {more}',
  },
  'a comma list of {values}': {
    es: 'una lista separada por comas de {values}',
    fr: 'une liste séparée par des virgules de {values}',
  },
  'a comma list of at most {max, number} request type ids, or other': {
    es: 'una lista separada por comas de {max, number} id de tipos de solicitud como máximo, u other',
    fr: 'une liste séparée par des virgules d’au plus {max, number} id de types de demande, ou other',
  },
  'a comma list of at most {max, number} user ids, or unassigned': {
    es: 'una lista separada por comas de {max, number} id de usuarios como máximo, o unassigned',
    fr: 'une liste séparée par des virgules d’au plus {max, number} id d’utilisateurs, ou unassigned',
  },
  'an integer': { es: 'un entero', fr: 'un entier' },
  'a number from {min, number} to {max, number}': {
    es: 'un número de {min, number} a {max, number}',
    fr: 'un nombre de {min, number} à {max, number}',
  },
  'a number from {min, number} to {max, number}, in degrees': {
    es: 'un número de {min, number} a {max, number}, en grados',
    fr: 'un nombre de {min, number} à {max, number}, en degrés',
  },
  'a number, in digits, with a point before decimals': {
    es: 'un número, en cifras, con un punto antes de los decimales',
    fr: 'un nombre, en chiffres, avec un point avant les décimales',
  },
  'a text of at most {max, number} characters': {
    es: 'un texto de {max, number} caracteres como máximo',
    fr: 'un texte d’au plus {max, number} caractères',
  },
  'a text of {min, number} to {max, number} characters': {
    es: 'un texto de {min, number} a {max, number} caracteres',
    fr: 'un texte de {min, number} à {max, number} caractères',
  },
  'text of at most {max, number} characters': {
    es: 'texto de {max, number} caracteres como máximo',
    fr: 'du texte d’au plus {max, number} caractères',
  },
  'text of {min, number} to {max, number} characters': {
    es: 'texto de {min, number} a {max, number} caracteres',
    fr: 'du texte de {min, number} à {max, number} caractères',
  },
  'an ISO 8601 timestamp such as 2026-01-31T00:00:00Z (write the + of an offset as %2B)': {
    es: 'una marca de tiempo ISO 8601 como 2026-01-31T00:00:00Z (escribe como %2B el + de un desfase)',
    fr: 'un horodatage ISO 8601 tel que 2026-01-31T00:00:00Z (écrivez %2B pour le + d’un décalage)',
  },
  'an ISO 8601 timestamp such as {example}': {
    es: 'una marca de tiempo ISO 8601 como {example}',
    fr: 'un horodatage ISO 8601 tel que {example}',
  },
  'a language tag such as en or pt-BR': {
    es: 'una etiqueta de idioma como en o pt-BR',
    fr: 'une étiquette de langue telle que en ou pt-BR',
  },
  'an e-mail address': { es: 'una dirección de correo', fr: 'une adresse e-mail' },
  'an e-mail address of at most {max, number} characters': {
    es: 'una dirección de correo de {max, number} caracteres como máximo',
    fr: 'une adresse e-mail d’au plus {max, number} caractères',
  },
  'a password of at most {max, number} characters': {
    es: 'una contraseña de {max, number} caracteres como máximo',
    fr: 'un mot de passe d’au plus {max, number} caractères',
  },
  'the password once more': { es: 'la contraseña otra vez', fr: 'le mot de passe encore une fois' },
  'your present password': { es: 'tu contraseña actual', fr: 'votre mot de passe actuel' },
  'the token of a link that we sent': {
    es: 'el token de un enlace que enviamos',
    fr: 'le jeton d’un lien que nous avons envoyé',
  },
  'the url_name of a place': { es: 'el url_name de un lugar', fr: 'le url_name d’un lieu' },
  'the id of a request type, or other': {
    es: 'el id de un tipo de solicitud, u other',
    fr: 'l’id d’un type de demande, ou other',
  },
  'the address of a video on YouTube': {
    es: 'la dirección de un vídeo de YouTube',
    fr: 'l’adresse d’une vidéo sur YouTube',
  },
  'a file, sent as multipart/form-data': {
    es: 'un archivo, enviado como multipart/form-data',
    fr: 'un fichier, envoyé en multipart/form-data',
  },
  'a PNG, JPEG or GIF picture': { es: 'una imagen PNG, JPEG o GIF', fr: 'une image PNG, JPEG ou GIF' },
  'a PNG, JPEG or GIF picture of at most {max, number} MB, sent as multipart/form-data': {
    es: 'una imagen PNG, JPEG o GIF de {max, number} MB como máximo, enviada como multipart/form-data',
    fr: 'une image PNG, JPEG ou GIF d’au plus {max, number} MB, envoyée en multipart/form-data',
  },
} satisfies Texts
