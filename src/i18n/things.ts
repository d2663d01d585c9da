import type { Texts } from './texts.ts'

/** What was not found. In each language it begins a sentence, with its article. */
export const things = {
  '{phrase} was not found.': {
    es: '{phrase} no se ha encontrado.',
    fr: '{phrase} est introuvable.',
  },
  'This address': { es: 'Esta dirección', fr: 'Cette adresse' },
  'What this address names': { es: 'Lo que nombra esta dirección', fr: 'Ce que nomme cette adresse' },
  'The issue': { es: 'El reporte', fr: 'Le signalement' },
  'The comment': { es: 'El comentario', fr: 'Le commentaire' },
  'The place': { es: 'El lugar', fr: 'Le lieu' },
  'The request type': { es: 'El tipo de solicitud', fr: 'Le type de demande' },
  'The user': { es: 'El usuario', fr: 'L’utilisateur' },
  'The account': { es: 'La cuenta', fr: 'Le compte' },
  'The token': { es: 'El token', fr: 'Le jeton' },
  'The e-mail address': { es: 'La dirección de correo', fr: 'L’adresse e-mail' },
  'The picture': { es: 'La imagen', fr: 'L’image' },
  'The mail': { es: 'El correo', fr: 'Le courriel' },
  'What was to be decided': { es: 'Lo que había que decidir', fr: 'Ce qui était à décider' },
  'The HTML of the mail': { es: 'El HTML del correo', fr: 'Le HTML du courriel' },
} satisfies Texts
