import type { Language } from '../../../errors/texts/languages.ts'
import type { QuestionNotificationEventType } from '../../../outbox/event-types.ts'

export interface QuestionWords {
  readonly anonymous: string
  readonly headings: Readonly<Record<QuestionNotificationEventType, (who: string) => string>>
  readonly subjects: Readonly<Record<QuestionNotificationEventType, (question: string) => string>>
  readonly explanations: Readonly<Partial<Record<QuestionNotificationEventType, string>>>
  readonly reason: (text: string) => string
  readonly shortenedHint: string
  readonly button: string
  readonly home: string
  readonly mailReasons: Readonly<Record<QuestionNotificationEventType, string>>
  readonly unsubscribe: string
}

const en: QuestionWords = {
  anonymous: 'A user',
  headings: {
    'answer.given': (who) => `${who} answered your question`,
    'answer.accepted': (who) => `${who} accepted your answer`,
    'question.rejected': () => 'Your question was not published',
    'answer.rejected': () => 'Your answer was not published',
  },
  subjects: {
    'answer.given': (question) => `Your question was answered: ${question}`,
    'answer.accepted': (question) => `Your answer was accepted: ${question}`,
    'question.rejected': (question) => `Your question was not published: ${question}`,
    'answer.rejected': (question) => `Your answer was not published: ${question}`,
  },
  explanations: {
    'answer.given': 'If it helps, accept it on the page of the question, so that others see which answer helped.',
    'question.rejected': 'A moderator reviewed your question and decided not to publish it. You can still see it on its page.',
    'answer.rejected': 'A moderator reviewed your answer and decided not to publish it.',
  },
  reason: (text) => `The moderator says: ${text}`,
  shortenedHint: 'This text is shortened. Read it in full on the question page.',
  button: 'See the question',
  home: 'Go to Fixpoint',
  mailReasons: {
    'answer.given': 'You get this mail because you asked the question.',
    'answer.accepted': 'You get this mail because you answered the question.',
    'question.rejected': 'You get this mail because you wrote this.',
    'answer.rejected': 'You get this mail because you wrote this.',
  },
  unsubscribe: 'Unsubscribe from this question, or from all mails',
}

const es: QuestionWords = {
  anonymous: 'Un usuario',
  headings: {
    'answer.given': (who) => `${who} ha respondido a tu pregunta`,
    'answer.accepted': (who) => `${who} ha aceptado tu respuesta`,
    'question.rejected': () => 'Tu pregunta no se ha publicado',
    'answer.rejected': () => 'Tu respuesta no se ha publicado',
  },
  subjects: {
    'answer.given': (question) => `Tu pregunta tiene una respuesta: ${question}`,
    'answer.accepted': (question) => `Se ha aceptado tu respuesta: ${question}`,
    'question.rejected': (question) => `Tu pregunta no se ha publicado: ${question}`,
    'answer.rejected': (question) => `Tu respuesta no se ha publicado: ${question}`,
  },
  explanations: {
    'answer.given': 'Si te sirve, acéptala en la página de la pregunta, para que los demás vean qué respuesta te ayudó.',
    'question.rejected': 'Un moderador ha revisado tu pregunta y ha decidido no publicarla. Todavía puedes verla en su página.',
    'answer.rejected': 'Un moderador ha revisado tu respuesta y ha decidido no publicarla.',
  },
  reason: (text) => `El moderador dice: ${text}`,
  shortenedHint: 'Este texto está abreviado. Léelo completo en la página de la pregunta.',
  button: 'Ver la pregunta',
  home: 'Ir a Fixpoint',
  mailReasons: {
    'answer.given': 'Recibes este correo porque hiciste la pregunta.',
    'answer.accepted': 'Recibes este correo porque respondiste a la pregunta.',
    'question.rejected': 'Recibes este correo porque lo escribiste tú.',
    'answer.rejected': 'Recibes este correo porque lo escribiste tú.',
  },
  unsubscribe: 'Cancelar la suscripción a esta pregunta, o a todos los correos',
}

const fr: QuestionWords = {
  anonymous: 'Un utilisateur',
  headings: {
    'answer.given': (who) => `${who} a répondu à votre question`,
    'answer.accepted': (who) => `${who} a accepté votre réponse`,
    'question.rejected': () => 'Votre question n’a pas été publiée',
    'answer.rejected': () => 'Votre réponse n’a pas été publiée',
  },
  subjects: {
    'answer.given': (question) => `Votre question a reçu une réponse : ${question}`,
    'answer.accepted': (question) => `Votre réponse a été acceptée : ${question}`,
    'question.rejected': (question) => `Votre question n’a pas été publiée : ${question}`,
    'answer.rejected': (question) => `Votre réponse n’a pas été publiée : ${question}`,
  },
  explanations: {
    'answer.given':
      'Si elle vous aide, acceptez-la sur la page de la question, pour que les autres voient quelle réponse vous a aidé.',
    'question.rejected':
      'Un modérateur a examiné votre question et a décidé de ne pas la publier. Vous pouvez toujours la voir sur sa page.',
    'answer.rejected': 'Un modérateur a examiné votre réponse et a décidé de ne pas la publier.',
  },
  reason: (text) => `Le modérateur dit : ${text}`,
  shortenedHint: 'Ce texte est abrégé. Lisez-le en entier sur la page de la question.',
  button: 'Voir la question',
  home: 'Aller sur Fixpoint',
  mailReasons: {
    'answer.given': 'Vous recevez ce courriel parce que vous avez posé la question.',
    'answer.accepted': 'Vous recevez ce courriel parce que vous avez répondu à la question.',
    'question.rejected': 'Vous recevez ce courriel parce que vous l’avez écrit.',
    'answer.rejected': 'Vous recevez ce courriel parce que vous l’avez écrit.',
  },
  unsubscribe: 'Se désabonner de cette question, ou de tous les courriels',
}

export const questionWords: Readonly<Record<Language, QuestionWords>> = { en, es, fr }
