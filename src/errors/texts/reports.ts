import type { Messages } from './messages.ts'

/** Reports and comments, their pictures, and the states of an issue. */
export const reports = {
  point_required: {
    en: 'is required: send lat and lng',
    es: 'es obligatorio: envía lat y lng',
    fr: 'est obligatoire : envoyez lat et lng',
  },
  outside_of_request_type: {
    en: 'is outside the area of this request type',
    es: 'queda fuera de la zona de este tipo de solicitud',
    fr: 'se trouve hors de la zone de ce type de demande',
  },
  answers_not_by_key: {
    en: 'must be an object with the answers by the primary_key of their questions',
    es: 'debe ser un objeto con las respuestas según la primary_key de sus preguntas',
    fr: 'doit être un objet avec les réponses selon la primary_key de leurs questions',
  },
  too_many_pictures: {
    en: 'must be at most {max, number} pictures: choose them again',
    es: 'deben ser {max, number} imágenes como máximo: elígelas otra vez',
    fr: 'doit compter au plus {max, number} images : choisissez-les de nouveau',
  },
  picture_damaged: {
    en: 'is damaged or takes too long to read',
    es: 'está dañada o tarda demasiado en leerse',
    fr: 'est endommagée ou trop longue à lire',
  },
  too_many_frames: {
    en: 'must not have more than {max, number} frames',
    es: 'no debe tener más de {max, number} fotogramas',
    fr: 'ne doit pas avoir plus de {max, number} images',
  },
  frame_too_large: {
    en: 'must not have frames of more than {max, number} million pixels',
    es: 'no debe tener fotogramas de más de {max, number} millones de píxeles',
    fr: 'ne doit pas avoir d’images de plus de {max, number} millions de pixels',
  },
  picture_too_large: {
    en: 'must not have more than {max, number} million pixels, all frames together',
    es: 'no debe tener más de {max, number} millones de píxeles entre todos los fotogramas',
    fr: 'ne doit pas avoir plus de {max, number} millions de pixels, toutes images comprises',
  },
  picture_too_large_for_file: {
    en: 'must not have more than {max, number} million pixels in a file of this size',
    es: 'no debe tener más de {max, number} millones de píxeles en un archivo de este tamaño',
    fr: 'ne doit pas avoir plus de {max, number} millions de pixels dans un fichier de cette taille',
  },
  picture_too_large_for_kind: {
    en: 'must not have more than {max, number} million pixels if it is a WebP, a progressive JPEG, an interlaced PNG, or has frames, transparency or 16 bits per channel',
    es: 'no debe tener más de {max, number} millones de píxeles si es un WebP, un JPEG progresivo, un PNG entrelazado, o tiene fotogramas, transparencia o 16 bits por canal',
    fr: 'ne doit pas avoir plus de {max, number} millions de pixels si c’est un WebP, un JPEG progressif, un PNG entrelacé, ou si elle a des trames, de la transparence ou 16 bits par canal',
  },
  issue_not_public: {
    en: 'This issue is not public, so nothing can be added to it or changed.',
    es: 'Este reporte no es público, así que no se le puede añadir ni cambiar nada.',
    fr: 'Ce signalement n’est pas public : rien ne peut y être ajouté ni changé.',
  },
  members_only: {
    en: 'This is for members of an organisation.',
    es: 'Esto es para miembros de una organización.',
    fr: 'Ceci est réservé aux membres d’une organisation.',
  },
  employees_only: {
    en: 'This is for employees of the organisation that looks after the issue.',
    es: 'Esto es para empleados de la organización que se ocupa del reporte.',
    fr: 'Ceci est réservé aux employés de l’organisation qui s’occupe du signalement.',
  },
  issue_archived: {
    en: 'This issue is archived: its status cannot change any more.',
    es: 'Este reporte está archivado: su estado ya no puede cambiar.',
    fr: 'Ce signalement est archivé : son état ne peut plus changer.',
  },
  issue_in_neither_state: {
    en: 'This issue is {state}: only an issue that is {one} or {other} can be {done}.',
    es: 'El estado de este reporte es «{state}»: solo se puede {done} un reporte cuyo estado sea «{one}» o «{other}».',
    fr: 'L’état de ce signalement est « {state} » : seul un signalement à l’état « {one} » ou « {other} » peut être {done}.',
  },
  issue_in_other_state: {
    en: 'This issue is {state}: only an issue that is {needed} can be {done}.',
    es: 'El estado de este reporte es «{state}»: solo se puede {done} un reporte cuyo estado sea «{needed}».',
    fr: 'L’état de ce signalement est « {state} » : seul un signalement à l’état « {needed} » peut être {done}.',
  },
  opened_again: { en: 'opened again', es: 'reabrir', fr: 'rouvert' },
  closed: { en: 'closed', es: 'cerrar', fr: 'clos' },
  acknowledged: { en: 'acknowledged', es: 'reconocer', fr: 'pris en compte' },
  status_open: { en: 'Open', es: 'Abierto', fr: 'Ouvert' },
  status_acknowledged: { en: 'Acknowledged', es: 'Reconocido', fr: 'Pris en compte' },
  status_closed: { en: 'Closed', es: 'Cerrado', fr: 'Clos' },
  status_archived: { en: 'Archived', es: 'Archivado', fr: 'Archivé' },
  draft_has_had_its_mails: {
    en: 'A link to this report was requested several times already: use the link of one of these mails.',
    es: 'Ya se pidió varias veces un enlace a este reporte: usa el enlace de uno de esos correos.',
    fr: 'Un lien vers ce signalement a déjà été demandé plusieurs fois : utilisez le lien d’un de ces courriels.',
  },
} as const satisfies Messages
