import type { Texts } from './texts.ts'

/** Of flags on questions and answers, and of what moderators decide on them. */
export const communityModeration = {
  'You wrote this yourself, so you cannot flag it: say in an answer what is wrong with it.': {
    es: 'Lo escribiste tú, así que no puedes denunciarlo: di en una respuesta qué tiene de malo.',
    fr: 'Vous l’avez écrit vous-même, vous ne pouvez donc pas le dénoncer : dites dans une réponse ce qui ne va pas.',
  },
  'Its question is held: decide on the question first.': {
    es: 'Su pregunta está retenida: decide antes sobre la pregunta.',
    fr: 'Sa question est retenue : décidez d’abord de la question.',
  },
  'Its question was rejected, so nobody could see it: the answer can only be rejected, too.': {
    es: 'Su pregunta fue rechazada, así que nadie podría verla: la respuesta también solo se puede rechazar.',
    fr: 'Sa question a été refusée, personne ne pourrait donc la voir : la réponse ne peut qu’être refusée aussi.',
  },
  'This question was rejected before.': { es: 'Esta pregunta ya fue rechazada.', fr: 'Cette question a déjà été refusée.' },
  'This answer was rejected before.': { es: 'Esta respuesta ya fue rechazada.', fr: 'Cette réponse a déjà été refusée.' },
  'a question': { es: 'una pregunta', fr: 'd’une question' },
  'an answer': { es: 'una respuesta', fr: 'd’une réponse' },
} satisfies Texts
