import type { Messages } from './messages.ts'

/** Of what moderators decide. */
export const moderation = {
  own_words_in_question: {
    en: 'You wrote this yourself, so you cannot flag it: say in an answer what is wrong with it.',
    es: 'Lo escribiste tú, así que no puedes denunciarlo: di en una respuesta qué tiene de malo.',
    fr: 'Vous l’avez écrit vous-même, vous ne pouvez donc pas le dénoncer : dites dans une réponse ce qui ne va pas.',
  },
  question_held: {
    en: 'Its question is held: decide on the question first.',
    es: 'Su pregunta está retenida: decide antes sobre la pregunta.',
    fr: 'Sa question est retenue : décidez d’abord de la question.',
  },
  question_rejected: {
    en: 'Its question was rejected, so nobody could see it: the answer can only be rejected, too.',
    es: 'Su pregunta fue rechazada, así que nadie podría verla: la respuesta también solo se puede rechazar.',
    fr: 'Sa question a été refusée, personne ne pourrait donc la voir : la réponse ne peut qu’être refusée aussi.',
  },
  question_rejected_before: {
    en: 'This question was rejected before.',
    es: 'Esta pregunta ya fue rechazada.',
    fr: 'Cette question a déjà été refusée.',
  },
  answer_rejected_before: {
    en: 'This answer was rejected before.',
    es: 'Esta respuesta ya fue rechazada.',
    fr: 'Cette réponse a déjà été refusée.',
  },
  a_question: { en: 'a question', es: 'una pregunta', fr: 'd’une question' },
  an_answer: { en: 'an answer', es: 'una respuesta', fr: 'd’une réponse' },
  moderators_only: { en: 'This is for moderators.', es: 'Esto es para moderadores.', fr: 'Ceci est réservé aux modérateurs.' },
  own_words_to_decide_on: {
    en: 'You wrote this yourself, so somebody else has to decide on it.',
    es: 'Esto lo escribiste tú, así que tiene que decidirlo otra persona.',
    fr: 'Vous avez écrit ceci : c’est à quelqu’un d’autre d’en décider.',
  },
  subject_gone: {
    en: 'What this was about is gone: it can only be rejected.',
    es: 'Aquello de lo que se trataba ya no existe: solo se puede rechazar.',
    fr: 'Ce dont il s’agissait n’existe plus : on ne peut que le refuser.',
  },
  issue_held: {
    en: 'Its issue is held: decide on the issue first.',
    es: 'Su reporte está retenido: decide antes sobre el reporte.',
    fr: 'Son signalement est retenu : décidez d’abord du signalement.',
  },
  issue_rejected: {
    en: 'Its issue was rejected, so nobody could see it: the comment can only be rejected, too.',
    es: 'Su reporte fue rechazado, así que nadie podría verlo: el comentario también solo se puede rechazar.',
    fr: 'Son signalement a été refusé, personne ne pourrait donc le voir : le commentaire ne peut qu’être refusé aussi.',
  },
  comment_rejected_before: {
    en: 'This comment was rejected before.',
    es: 'Este comentario ya fue rechazado.',
    fr: 'Ce commentaire a déjà été refusé.',
  },
  report_rejected_before: {
    en: 'This report was rejected before.',
    es: 'Este reporte ya fue rechazado.',
    fr: 'Ce signalement a déjà été refusé.',
  },
  approved_by_checks: {
    en: 'This was already approved by the automatic checks.',
    es: 'Esto ya lo aprobaron las comprobaciones automáticas.',
    fr: 'Ceci a déjà été approuvé par les contrôles automatiques.',
  },
  rejected_by_checks: {
    en: 'This was already rejected by the automatic checks.',
    es: 'Esto ya lo rechazaron las comprobaciones automáticas.',
    fr: 'Ceci a déjà été refusé par les contrôles automatiques.',
  },
  approved_by: {
    en: 'This was already approved by {name}.',
    es: 'Esto ya lo aprobó {name}.',
    fr: 'Ceci a déjà été approuvé par {name}.',
  },
  rejected_by: {
    en: 'This was already rejected by {name}.',
    es: 'Esto ya lo rechazó {name}.',
    fr: 'Ceci a déjà été refusé par {name}.',
  },
  not_a_text_of: {
    en: 'is no text of {subject}, which has {names}',
    es: 'no es un texto de {subject}, que tiene {names}',
    fr: 'n’est pas un texte {subject}, qui a {names}',
  },
  a_report: { en: 'a report', es: 'un reporte', fr: 'd’un signalement' },
  a_comment: { en: 'a comment', es: 'un comentario', fr: 'd’un commentaire' },
} as const satisfies Messages
