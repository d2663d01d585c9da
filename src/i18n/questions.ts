import type { Texts } from './texts.ts'

/** Of questions about a city and their answers. */
export const questions = {
  'The question': { es: 'La pregunta', fr: 'La question' },
  'The answer': { es: 'La respuesta', fr: 'La réponse' },
  'answered, unanswered, or blank for both': {
    es: 'answered, unanswered, o nada para ambas',
    fr: 'answered, unanswered, ou rien pour les deux',
  },
  'This question is not public, so nothing can be added to it or changed.': {
    es: 'Esta pregunta no es pública, así que no se le puede añadir ni cambiar nada.',
    fr: 'Cette question n’est pas publique : rien ne peut y être ajouté ni modifié.',
  },
  'This answer is not public, so nothing can be added to it or changed.': {
    es: 'Esta respuesta no es pública, así que no se le puede añadir ni cambiar nada.',
    fr: 'Cette réponse n’est pas publique : rien ne peut y être ajouté ni modifié.',
  },
  'You have not voted for this answer.': {
    es: 'No has votado por esta respuesta.',
    fr: 'Vous n’avez pas voté pour cette réponse.',
  },
  'Only whoever asked, and employees of the organisations of this city, accept an answer.': {
    es: 'Solo quien preguntó y el personal de las organizaciones de esta ciudad aceptan una respuesta.',
    fr: 'Seules la personne qui a posé la question et le personnel des organisations de cette ville acceptent une réponse.',
  },
} satisfies Texts
