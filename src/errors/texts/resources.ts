import type { Messages } from './messages.ts'

/** Subjects of `not_found`. In each language a subject begins the sentence and has its article. */
export const resources = {
  the_dead_letter: { en: 'The dead letter', es: 'La entrega fallida', fr: 'La livraison en échec' },
  the_trace: {
    en: 'An event, mail or request with this id',
    es: 'Un evento, un correo o una petición con este id',
    fr: 'Un événement, un courriel ou une requête avec cet id',
  },
  the_question: { en: 'The question', es: 'La pregunta', fr: 'La question' },
  the_answer: { en: 'The answer', es: 'La respuesta', fr: 'La réponse' },
  not_found: { en: '{resource} was not found.', es: '{resource} no se ha encontrado.', fr: '{resource} est introuvable.' },
  this_address: { en: 'This address', es: 'Esta dirección', fr: 'Cette adresse' },
  the_resource: {
    en: 'The resource at this address',
    es: 'El recurso de esta dirección',
    fr: 'La ressource à cette adresse',
  },
  the_issue: { en: 'The issue', es: 'El reporte', fr: 'Le signalement' },
  the_draft: { en: 'The draft', es: 'El borrador', fr: 'Le brouillon' },
  the_comment: { en: 'The comment', es: 'El comentario', fr: 'Le commentaire' },
  the_place: { en: 'The place', es: 'El lugar', fr: 'Le lieu' },
  the_request_type: { en: 'The request type', es: 'El tipo de solicitud', fr: 'Le type de demande' },
  the_user: { en: 'The user', es: 'El usuario', fr: 'L’utilisateur' },
  the_account: { en: 'The account', es: 'La cuenta', fr: 'Le compte' },
  the_token: { en: 'The token', es: 'El token', fr: 'Le jeton' },
  the_email_address: { en: 'The e-mail address', es: 'La dirección de correo', fr: 'L’adresse e-mail' },
  the_picture: { en: 'The picture', es: 'La imagen', fr: 'L’image' },
  the_mail: { en: 'The mail', es: 'El correo', fr: 'Le courriel' },
  the_moderation_item: { en: 'The moderation item', es: 'El elemento de moderación', fr: 'L’élément de modération' },
  the_html_of_the_mail: { en: 'The HTML of the mail', es: 'El HTML del correo', fr: 'Le HTML du courriel' },
  the_jurisdiction: {
    en: 'The organisation of this address or jurisdiction_id',
    es: 'La organización de esta dirección o de jurisdiction_id',
    fr: 'L’organisation de cette adresse ou de jurisdiction_id',
  },
  the_service: {
    en: 'The service with this service_code',
    es: 'El servicio con este service_code',
    fr: 'Le service avec ce service_code',
  },
  the_service_request: {
    en: 'The service request with this service_request_id',
    es: 'La solicitud con este service_request_id',
    fr: 'La demande avec ce service_request_id',
  },
  the_watch_area: { en: 'The watch area', es: 'La zona de vigilancia', fr: 'La zone surveillée' },
} as const satisfies Messages
