import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type Link = (text: string) => SafeHtml

export interface QuestionCitiesTexts {
  readonly title: string
  readonly description: string
  readonly intro: string
  readonly search: string
  readonly searchButton: string
  /** ICU messages. */
  readonly cities: string
  readonly questions: string
  readonly popular: (question: string) => string
  readonly notFound: (all: Link) => SafeHtml
  readonly emptyPage: (first: Link) => SafeHtml
  readonly noCities: string
}

export const questionCitiesTexts: Readonly<Record<Language, QuestionCitiesTexts>> = {
  en: {
    title: 'Questions about cities',
    description: 'What people ask about their cities, and what neighbours and city hall answer.',
    intro: 'Choose a city to read its questions and answers, or to ask a question of your own.',
    search: 'Find a city by its name',
    searchButton: 'Search',
    cities: '{count, plural, one {# city} other {# cities}}',
    questions: '{count, plural, =0 {No questions yet} one {# question} other {# questions}}',
    popular: (question) => `“${question}”`,
    notFound: (all) => html`No city has that in its name. Try a shorter part of it, or see ${all('all cities')}.`,
    emptyPage: (first) => html`This page of the list is empty. ${first('Go to the first page')}`,
    noCities: 'There are no cities here yet.',
  },
  es: {
    title: 'Preguntas sobre las ciudades',
    description: 'Lo que la gente pregunta sobre sus ciudades y lo que responden los vecinos y el ayuntamiento.',
    intro: 'Elige una ciudad para leer sus preguntas y respuestas o para hacer una pregunta tú.',
    search: 'Buscar una ciudad por su nombre',
    searchButton: 'Buscar',
    cities: '{count, plural, one {# ciudad} other {# ciudades}}',
    questions: '{count, plural, =0 {Todavía no hay preguntas} one {# pregunta} other {# preguntas}}',
    popular: (question) => `«${question}»`,
    notFound: (all) =>
      html`Ninguna ciudad tiene eso en su nombre. Prueba con una parte más corta o mira ${all('todas las ciudades')}.`,
    emptyPage: (first) => html`Esta página de la lista está vacía. ${first('Ir a la primera página')}`,
    noCities: 'Todavía no hay ciudades aquí.',
  },
  fr: {
    title: 'Questions sur les villes',
    description: 'Ce que les gens demandent sur leur ville, et ce que répondent les voisins et la mairie.',
    intro: 'Choisissez une ville pour lire ses questions et leurs réponses, ou pour en poser une.',
    search: 'Chercher une ville par son nom',
    searchButton: 'Chercher',
    cities: '{count, plural, one {# ville} other {# villes}}',
    questions: '{count, plural, =0 {Pas encore de questions} one {# question} other {# questions}}',
    popular: (question) => `« ${question} »`,
    notFound: (all) =>
      html`Aucune ville n’a cela dans son nom. Essayez-en une partie plus courte, ou voyez ${all('toutes les villes')}.`,
    emptyPage: (first) => html`Cette page de la liste est vide. ${first('Aller à la première page')}`,
    noCities: 'Il n’y a pas encore de villes ici.',
  },
}
