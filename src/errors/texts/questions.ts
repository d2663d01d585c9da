import type { Messages } from './messages.ts'

export const questions = {
  answered_or_not: {
    en: 'answered, unanswered, or blank for both',
    es: 'answered, unanswered, o nada para ambas',
    fr: 'answered, unanswered, ou rien pour les deux',
  },
  question_not_public: {
    en: 'This question is not public, so nothing can be added to it or changed.',
    es: 'Esta pregunta no es pública, así que no se le puede añadir ni cambiar nada.',
    fr: 'Cette question n’est pas publique : rien ne peut y être ajouté ni modifié.',
  },
  answer_not_public: {
    en: 'This answer is not public, so nothing can be added to it or changed.',
    es: 'Esta respuesta no es pública, así que no se le puede añadir ni cambiar nada.',
    fr: 'Cette réponse n’est pas publique : rien ne peut y être ajouté ni modifié.',
  },
  not_voted_for_answer: {
    en: 'You have not voted for this answer.',
    es: 'No has votado por esta respuesta.',
    fr: 'Vous n’avez pas voté pour cette réponse.',
  },
  may_not_accept_answer: {
    en: 'Only the person who asked and employees of the organisations of this city can accept an answer.',
    es: 'Solo quien preguntó y el personal de las organizaciones de esta ciudad pueden aceptar una respuesta.',
    fr: 'Seules la personne qui a posé la question et le personnel des organisations de cette ville peuvent accepter une réponse.',
  },
} as const satisfies Messages
