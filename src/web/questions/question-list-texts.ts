import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type Link = (text: string) => SafeHtml
type Subset = '' | 'answered' | 'unanswered'

export interface QuestionListTexts {
  readonly title: (city: string) => string
  readonly description: (city: string) => string
  readonly ask: string
  readonly search: string
  readonly searchButton: string
  readonly searchExample: string
  readonly subsetsLabel: string
  readonly subsets: Readonly<Record<Subset, string>>
  /** An ICU message. */
  readonly questions: string
  /** An ICU message. */
  readonly answers: string
  readonly json: string
  readonly emptyPage: (first: Link) => SafeHtml
  readonly notFound: Readonly<Record<Subset, (city: string, words: string) => string>>
  readonly otherWords: (all: Link, ask: Link) => SafeHtml
  readonly noneAnswered: (city: string, unanswered: Link) => SafeHtml
  readonly noneUnanswered: (city: string, all: Link, ask: Link) => SafeHtml
  readonly none: (city: string, ask: Link, place: Link) => SafeHtml
  readonly logIn: (logIn: Link, register: Link) => SafeHtml
  readonly askTitle: (city: string) => string
  readonly yourQuestion: string
  readonly questionHint: string
  readonly askButton: string
}

export const questionListTexts: Readonly<Record<Language, QuestionListTexts>> = {
  en: {
    title: (city) => `Questions about ${city}`,
    description: (city) => `What people ask about ${city}, and what neighbours and city hall answer.`,
    ask: 'Ask a question',
    search: 'Search in questions',
    searchButton: 'Search',
    searchExample: 'paint',
    subsetsLabel: 'Which questions',
    subsets: { '': 'All', answered: 'Answered', unanswered: 'Unanswered' },
    questions: '{count, plural, one {# question} other {# questions}}',
    answers: '{count, plural, =0 {No answer yet} one {# answer} other {# answers}}',
    json: 'These questions as JSON',
    emptyPage: (first) => html`This page of the list is empty. ${first('Go to the first page')}`,
    notFound: {
      '': (city, words) => `No question about ${city} with “${words}” in it.`,
      answered: (city, words) => `No answered question about ${city} with “${words}” in it.`,
      unanswered: (city, words) => `No unanswered question about ${city} with “${words}” in it.`,
    },
    otherWords: (all, ask) => html`Try fewer or other words, ${all('see all questions')}, or ${ask('ask it yourself')}.`,
    noneAnswered: (city, unanswered) => html`No question about ${city} has an answer yet. ${unanswered('Perhaps you know one?')}`,
    noneUnanswered: (city, all, ask) =>
      html`No question about ${city} is unanswered: ${all('see all questions')}, or ${ask('ask another one')}.`,
    none: (city, ask, place) =>
      html`There are no questions about ${city} yet. ${ask('Ask the first question')}, or ${place('see what is reported there')}.`,
    logIn: (logIn, register) => html`${logIn('Log in')} or ${register('register')} to ask a question.`,
    askTitle: (city) => `Ask the people of ${city}`,
    yourQuestion: 'Your question',
    questionHint:
      'Your question and your name are public. If something is broken, report an issue instead, so that city hall sees where it is.',
    askButton: 'Ask',
  },
  es: {
    title: (city) => `Preguntas sobre ${city}`,
    description: (city) => `Qué se pregunta sobre ${city}, y qué responden los vecinos y el ayuntamiento.`,
    ask: 'Hacer una pregunta',
    search: 'Buscar en las preguntas',
    searchButton: 'Buscar',
    searchExample: 'pintura',
    subsetsLabel: 'Qué preguntas',
    subsets: { '': 'Todas', answered: 'Respondidas', unanswered: 'Sin responder' },
    questions: '{count, plural, one {# pregunta} other {# preguntas}}',
    answers: '{count, plural, =0 {Todavía sin respuesta} one {# respuesta} other {# respuestas}}',
    json: 'Estas preguntas como JSON',
    emptyPage: (first) => html`Esta página de la lista está vacía. ${first('Ir a la primera página')}`,
    notFound: {
      '': (city, words) => `No hay ninguna pregunta sobre ${city} que contenga «${words}».`,
      answered: (city, words) => `No hay ninguna pregunta respondida sobre ${city} que contenga «${words}».`,
      unanswered: (city, words) => `No hay ninguna pregunta sin responder sobre ${city} que contenga «${words}».`,
    },
    otherWords: (all, ask) =>
      html`Prueba con menos palabras o con otras, ${all('mira todas las preguntas')} o ${ask('haz tú la pregunta')}.`,
    noneAnswered: (city, unanswered) =>
      html`Ninguna pregunta sobre ${city} tiene respuesta todavía. ${unanswered('¿Sabes responder a alguna?')}`,
    noneUnanswered: (city, all, ask) =>
      html`No queda ninguna pregunta sobre ${city} sin responder: ${all('mira todas las preguntas')} o ${ask('haz otra')}.`,
    none: (city, ask, place) =>
      html`Todavía no hay preguntas sobre ${city}. ${ask('Haz la primera pregunta')} o ${place('mira qué se ha reportado allí')}.`,
    logIn: (logIn, register) => html`${logIn('Inicia sesión')} o ${register('regístrate')} para hacer una pregunta.`,
    askTitle: (city) => `Pregunta a la gente de ${city}`,
    yourQuestion: 'Tu pregunta',
    questionHint:
      'Tu pregunta y tu nombre son públicos. Si algo está roto, envía mejor un reporte, para que el ayuntamiento vea dónde está.',
    askButton: 'Preguntar',
  },
  fr: {
    title: (city) => `Questions sur ${city}`,
    description: (city) => `Ce que l’on demande sur ${city}, et ce que répondent les habitants et la mairie.`,
    ask: 'Poser une question',
    search: 'Chercher dans les questions',
    searchButton: 'Chercher',
    searchExample: 'peinture',
    subsetsLabel: 'Quelles questions',
    subsets: { '': 'Toutes', answered: 'Avec réponse', unanswered: 'Sans réponse' },
    questions: '{count, plural, one {# question} other {# questions}}',
    answers: '{count, plural, =0 {Pas encore de réponse} one {# réponse} other {# réponses}}',
    json: 'Ces questions en JSON',
    emptyPage: (first) => html`Cette page de la liste est vide. ${first('Aller à la première page')}`,
    notFound: {
      '': (city, words) => `Aucune question sur ${city} ne contient « ${words} ».`,
      answered: (city, words) => `Aucune question avec réponse sur ${city} ne contient « ${words} ».`,
      unanswered: (city, words) => `Aucune question sans réponse sur ${city} ne contient « ${words} ».`,
    },
    otherWords: (all, ask) =>
      html`Essayez avec moins de mots ou avec d’autres, ${all('voyez toutes les questions')} ou ${ask('posez la question vous-même')}.`,
    noneAnswered: (city, unanswered) =>
      html`Aucune question sur ${city} n’a encore de réponse. ${unanswered('Vous savez peut-être répondre à l’une d’elles ?')}`,
    noneUnanswered: (city, all, ask) =>
      html`Aucune question sur ${city} n’est sans réponse : ${all('voyez toutes les questions')} ou ${ask('posez-en une autre')}.`,
    none: (city, ask, place) =>
      html`Il n’y a pas encore de questions sur ${city}. ${ask('Posez la première question')} ou ${place('voyez ce qui y est signalé')}.`,
    logIn: (logIn, register) => html`${logIn('Connectez-vous')} ou ${register('inscrivez-vous')} pour poser une question.`,
    askTitle: (city) => `Posez une question sur ${city}`,
    yourQuestion: 'Votre question',
    questionHint:
      'Votre question et votre nom sont publics. Si quelque chose est cassé, envoyez plutôt un signalement, pour que la mairie voie où c’est.',
    askButton: 'Poser la question',
  },
}
