import type { Language } from '../../../errors/texts/languages.ts'
import type { QuestionNotificationEvent } from '../../../outbox/event-types.ts'

export interface QuestionWords {
  readonly anonymous: string
  readonly headings: Readonly<Record<QuestionNotificationEvent, (who: string) => string>>
  readonly subjects: Readonly<Record<QuestionNotificationEvent, (question: string) => string>>
  readonly explanations: Readonly<Partial<Record<QuestionNotificationEvent, string>>>
  readonly reason: (text: string) => string
  readonly shortenedHint: string
  readonly button: string
  readonly home: string
  readonly mailReasons: Readonly<Record<QuestionNotificationEvent, string>>
  readonly unsubscribe: string
}

const en: QuestionWords = {
  anonymous: 'Somebody',
  headings: {
    'answer.given': (who) => `${who} answered your question`,
    'answer.accepted': (who) => `${who} accepted your answer`,
    'question.rejected': () => 'Your question was not published',
    'answer.rejected': () => 'Your answer was not published',
  },
  subjects: {
    'answer.given': (question) => `Answered: ${question}`,
    'answer.accepted': (question) => `Your answer was accepted: ${question}`,
    'question.rejected': (question) => `Not published: ${question}`,
    'answer.rejected': (question) => `Your answer was not published: ${question}`,
  },
  explanations: {
    'answer.given': 'If it helps, accept it on the page of the question: others see at once which answer it was.',
    'question.rejected':
      'A moderator looked at your question and decided that it will not be published. You still see it on its page.',
    'answer.rejected': 'A moderator looked at your answer and decided that it will not be published.',
  },
  reason: (text) => `The moderator says: ${text}`,
  shortenedHint: 'The text goes on; all of it stands on the page of the question.',
  button: 'See the question',
  home: 'Go to Fixpoint',
  mailReasons: {
    'answer.given': 'You get this mail because you asked the question.',
    'answer.accepted': 'You get this mail because you answered the question.',
    'question.rejected': 'You get this mail because you wrote this.',
    'answer.rejected': 'You get this mail because you wrote this.',
  },
  unsubscribe: 'No more mails about this question, or none at all',
}

const es: QuestionWords = {
  anonymous: 'Alguien',
  headings: {
    'answer.given': (who) => `${who} ha respondido a tu pregunta`,
    'answer.accepted': (who) => `${who} ha aceptado tu respuesta`,
    'question.rejected': () => 'Tu pregunta no se ha publicado',
    'answer.rejected': () => 'Tu respuesta no se ha publicado',
  },
  subjects: {
    'answer.given': (question) => `Respondida: ${question}`,
    'answer.accepted': (question) => `Se ha aceptado tu respuesta: ${question}`,
    'question.rejected': (question) => `No publicada: ${question}`,
    'answer.rejected': (question) => `Tu respuesta no se ha publicado: ${question}`,
  },
  explanations: {
    'answer.given': 'Si te sirve, acéptala en la página de la pregunta: los demás verán enseguida cuál fue.',
    'question.rejected': 'Un moderador ha revisado tu pregunta y ha decidido que no se publique. Tú la sigues viendo en su página.',
    'answer.rejected': 'Un moderador ha revisado tu respuesta y ha decidido que no se publique.',
  },
  reason: (text) => `El moderador dice: ${text}`,
  shortenedHint: 'El texto continúa; está entero en la página de la pregunta.',
  button: 'Ver la pregunta',
  home: 'Ir a Fixpoint',
  mailReasons: {
    'answer.given': 'Recibes este correo porque hiciste la pregunta.',
    'answer.accepted': 'Recibes este correo porque respondiste a la pregunta.',
    'question.rejected': 'Recibes este correo porque lo escribiste tú.',
    'answer.rejected': 'Recibes este correo porque lo escribiste tú.',
  },
  unsubscribe: 'No recibir más correos sobre esta pregunta, o ninguno',
}

const fr: QuestionWords = {
  anonymous: 'Quelqu’un',
  headings: {
    'answer.given': (who) => `${who} a répondu à votre question`,
    'answer.accepted': (who) => `${who} a accepté votre réponse`,
    'question.rejected': () => 'Votre question n’a pas été publiée',
    'answer.rejected': () => 'Votre réponse n’a pas été publiée',
  },
  subjects: {
    'answer.given': (question) => `Réponse reçue : ${question}`,
    'answer.accepted': (question) => `Votre réponse a été acceptée : ${question}`,
    'question.rejected': (question) => `Non publiée : ${question}`,
    'answer.rejected': (question) => `Votre réponse n’a pas été publiée : ${question}`,
  },
  explanations: {
    'answer.given':
      'Si elle vous aide, acceptez-la sur la page de la question : les autres verront tout de suite laquelle c’était.',
    'question.rejected':
      'Un modérateur a examiné votre question et décidé qu’elle ne serait pas publiée. Vous la voyez toujours sur sa page.',
    'answer.rejected': 'Un modérateur a examiné votre réponse et décidé qu’elle ne serait pas publiée.',
  },
  reason: (text) => `Le modérateur dit : ${text}`,
  shortenedHint: 'Le texte continue ; il se trouve en entier sur la page de la question.',
  button: 'Voir la question',
  home: 'Aller sur Fixpoint',
  mailReasons: {
    'answer.given': 'Vous recevez ce courriel parce que vous avez posé la question.',
    'answer.accepted': 'Vous recevez ce courriel parce que vous avez répondu à la question.',
    'question.rejected': 'Vous recevez ce courriel parce que vous l’avez écrit.',
    'answer.rejected': 'Vous recevez ce courriel parce que vous l’avez écrit.',
  },
  unsubscribe: 'Ne plus recevoir de courriels sur cette question, ou plus aucun',
}

export const questionWords: Readonly<Record<Language, QuestionWords>> = { en, es, fr }
