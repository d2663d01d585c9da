import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type Link = (text: string) => SafeHtml

export interface QuestionTexts {
  readonly places: string
  readonly questions: string
  /** The title of a page whose form was refused. */
  readonly errorTitle: (title: string) => string
  readonly description: (place: string) => string
  readonly askedBy: (name: string) => string
  /** An ICU message. */
  readonly answers: string
  readonly firstAnswers: (count: string, all: Link) => SafeHtml
  readonly notOpenYet: (others: Link) => SafeHtml
  readonly shareIt: (others: Link) => SafeHtml
  readonly answerIt: (write: Link, others: Link) => SafeHtml
  readonly noAnswers: (others: Link) => SafeHtml
  readonly logIn: (logIn: Link, register: Link) => SafeHtml
  readonly writeAnswer: string
  readonly yourAnswer: string
  readonly answerHint: string
  readonly answer: string
  readonly questionJson: string
  readonly answersJson: string
  readonly flagQuestion: string
  readonly rejectedQuestion: string
  readonly pendingQuestion: string
  readonly rejectedAnswer: string
  readonly pendingAnswer: string
  /** The second half of a sentence about who sees a hidden question or answer. */
  readonly audience: Readonly<Record<'ownQuestion' | 'question' | 'ownAnswer' | 'answer', string>>
  readonly untilThen: (audience: string) => string
  readonly moderatorSays: (reason: string) => string
  readonly decide: string
  readonly accepted: string
  /** An ICU message. */
  readonly votes: string
  readonly vote: string
  readonly removeVote: string
  readonly accept: string
  readonly undoAcceptance: string
  readonly flag: string
  /** The accessible name of a button of an answer. It contains the visible text (WCAG 2.5.3). */
  readonly label: (action: string, author: string) => string
}

export const questionTexts: Readonly<Record<Language, QuestionTexts>> = {
  en: {
    places: 'Places',
    questions: 'Questions',
    errorTitle: (title) => `Error: ${title}`,
    description: (place) => `A question about ${place}`,
    askedBy: (name) => `Asked by ${name}`,
    answers: '{count, plural, one {# answer} other {# answers}}',
    firstAnswers: (count, all) => html`These are the first ${count}; ${all('all of them as JSON')}.`,
    notOpenYet: (others) => html`It cannot be answered yet. In the meantime, you can ${others('see other questions')}.`,
    shareIt: (others) =>
      html`There are no answers yet. Share this page with neighbours who may know, or ${others('see other questions')}.`,
    answerIt: (write, others) =>
      html`There are no answers yet. Do you know? ${write('Write the first answer')}, or ${others('see other questions')}.`,
    noAnswers: (others) => html`There are no answers yet. In the meantime, you can ${others('see other questions')}.`,
    logIn: (logIn, register) => html`${logIn('Log in')} or ${register('register')} to answer, or to vote for an answer.`,
    writeAnswer: 'Write an answer',
    yourAnswer: 'Your answer',
    answerHint: 'Your answer and your name are public.',
    answer: 'Answer',
    questionJson: 'This question as JSON',
    answersJson: 'its answers as JSON',
    flagQuestion: 'Flag it',
    rejectedQuestion: 'A moderator decided not to publish this question:',
    pendingQuestion: 'A moderator reviews this question first.',
    rejectedAnswer: 'A moderator decided not to publish this:',
    pendingAnswer: 'A moderator reviews this first.',
    audience: {
      ownQuestion: 'only you and the moderators see this page',
      question: 'only its asker and the moderators see this page',
      ownAnswer: 'only you and the moderators see it',
      answer: 'only its author and the moderators see it',
    },
    untilThen: (audience) => `Until then ${audience}.`,
    moderatorSays: (reason) => `The moderator says: ${reason}`,
    decide: 'Decide on it',
    accepted: 'Accepted answer',
    votes: '{count, plural, one {# vote} other {# votes}}',
    vote: 'Vote for it',
    removeVote: 'Remove your vote',
    accept: 'Accept it',
    undoAcceptance: 'Undo acceptance',
    flag: 'Flag',
    label: (action, author) => `${action}: answer by ${author}`,
  },
  es: {
    places: 'Lugares',
    questions: 'Preguntas',
    errorTitle: (title) => `Error: ${title}`,
    description: (place) => `Una pregunta sobre ${place}`,
    askedBy: (name) => `Pregunta de ${name}`,
    answers: '{count, plural, one {# respuesta} other {# respuestas}}',
    firstAnswers: (count, all) => html`Estas son las primeras ${count}; ${all('todas como JSON')}.`,
    notOpenYet: (others) => html`Todavía no se puede responder. Mientras tanto, puedes ${others('ver otras preguntas')}.`,
    shareIt: (others) =>
      html`Todavía no hay respuestas. Comparte esta página con vecinos que puedan saberlo, o ${others('mira otras preguntas')}.`,
    answerIt: (write, others) =>
      html`Todavía no hay respuestas. ¿Lo sabes? ${write('Escribe la primera respuesta')}, o ${others('mira otras preguntas')}.`,
    noAnswers: (others) => html`Todavía no hay respuestas. Mientras tanto, puedes ${others('ver otras preguntas')}.`,
    logIn: (logIn, register) =>
      html`${logIn('Inicia sesión')} o ${register('regístrate')} para responder o para votar por una respuesta.`,
    writeAnswer: 'Escribe una respuesta',
    yourAnswer: 'Tu respuesta',
    answerHint: 'Tu respuesta y tu nombre son públicos.',
    answer: 'Responder',
    questionJson: 'Esta pregunta como JSON',
    answersJson: 'sus respuestas como JSON',
    flagQuestion: 'Denunciarla',
    rejectedQuestion: 'Un moderador ha decidido no publicar esta pregunta:',
    pendingQuestion: 'Un moderador revisará antes esta pregunta.',
    rejectedAnswer: 'Un moderador ha decidido no publicar esto:',
    pendingAnswer: 'Un moderador revisará antes esto.',
    audience: {
      ownQuestion: 'solo tú y los moderadores pueden ver esta página',
      question: 'solo quien la hizo y los moderadores pueden ver esta página',
      ownAnswer: 'solo tú y los moderadores pueden verlo',
      answer: 'solo su autor y los moderadores pueden verlo',
    },
    untilThen: (audience) => `Hasta entonces, ${audience}.`,
    moderatorSays: (reason) => `El moderador dice: ${reason}`,
    decide: 'Decidir',
    accepted: 'Respuesta aceptada',
    votes: '{count, plural, one {# voto} other {# votos}}',
    vote: 'Votar por ella',
    removeVote: 'Quitar tu voto',
    accept: 'Aceptarla',
    undoAcceptance: 'Dejar de aceptarla',
    flag: 'Denunciar',
    label: (action, author) => `${action}: respuesta de ${author}`,
  },
  fr: {
    places: 'Lieux',
    questions: 'Questions',
    errorTitle: (title) => `Erreur : ${title}`,
    description: (place) => `Une question sur ${place}`,
    askedBy: (name) => `Question posée par ${name}`,
    answers: '{count, plural, one {# réponse} other {# réponses}}',
    firstAnswers: (count, all) => html`Voici les ${count} premières ; ${all('toutes en JSON')}.`,
    notOpenYet: (others) => html`On ne peut pas encore y répondre. En attendant, vous pouvez ${others('voir d’autres questions')}.`,
    shareIt: (others) =>
      html`Il n’y a pas encore de réponses. Partagez cette page avec des voisins qui savent peut-être, ou ${others('voyez d’autres questions')}.`,
    answerIt: (write, others) =>
      html`Il n’y a pas encore de réponses. Vous savez ? ${write('Écrivez la première réponse')}, ou ${others('voyez d’autres questions')}.`,
    noAnswers: (others) => html`Il n’y a pas encore de réponses. En attendant, vous pouvez ${others('voir d’autres questions')}.`,
    logIn: (logIn, register) =>
      html`${logIn('Connectez-vous')} ou ${register('inscrivez-vous')} pour répondre ou pour voter pour une réponse.`,
    writeAnswer: 'Écrivez une réponse',
    yourAnswer: 'Votre réponse',
    answerHint: 'Votre réponse et votre nom sont publics.',
    answer: 'Répondre',
    questionJson: 'Cette question en JSON',
    answersJson: 'ses réponses en JSON',
    flagQuestion: 'La dénoncer',
    rejectedQuestion: 'Un modérateur a décidé de ne pas publier cette question :',
    pendingQuestion: 'Un modérateur examine d’abord cette question.',
    rejectedAnswer: 'Un modérateur a décidé de ne pas publier ceci :',
    pendingAnswer: 'Un modérateur examine d’abord ceci.',
    audience: {
      ownQuestion: 'vous et les modérateurs êtes seuls à voir cette page',
      question: 'seuls la personne qui l’a posée et les modérateurs voient cette page',
      ownAnswer: 'vous et les modérateurs êtes seuls à le voir',
      answer: 'seuls son auteur et les modérateurs le voient',
    },
    untilThen: (audience) => `D’ici là, ${audience}.`,
    moderatorSays: (reason) => `Le modérateur dit : ${reason}`,
    decide: 'En décider',
    accepted: 'Réponse acceptée',
    votes: '{count, plural, one {# vote} other {# votes}}',
    vote: 'Voter pour elle',
    removeVote: 'Retirer votre vote',
    accept: 'L’accepter',
    undoAcceptance: 'Ne plus l’accepter',
    flag: 'Dénoncer',
    label: (action, author) => `${action}: answer by ${author}`,
  },
}
