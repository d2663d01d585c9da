import { html, type SafeHtml } from './template.ts'
import type { Language } from '../errors/texts/languages.ts'

/** A link with this text, or a button that is one. */
type Link = (text: string) => SafeHtml

/** What a page says about a failure beside its texts. */
export interface ProblemTexts {
  /** By status, as far as there is one of its own. */
  readonly titles: Readonly<Record<(typeof statusesWithTitle)[number], string>>
  readonly serverError: string
  readonly clientError: string
  readonly retryLater: (isWell: Link) => SafeHtml
  readonly logIn: string
  readonly inProgress: string
  readonly homeLink: string
  readonly notFoundHelp: (links: Readonly<Record<'first' | 'places' | 'reference', Link>>) => SafeHtml
  readonly statusLine: (status: number, requestId: SafeHtml) => SafeHtml
}

export const statusesWithTitle = [401, 403, 404, 405, 409, 413, 422, 429, 503] as const

export function problemTitle({ titles, serverError, clientError }: ProblemTexts, status: number): string {
  const known = statusesWithTitle.find((one) => one === status)
  return known ? titles[known] : status >= 500 ? serverError : clientError
}

/** The compiler refuses a gap. */
export const problemTexts: Readonly<Record<Language, ProblemTexts>> = {
  en: {
    titles: {
      401: 'You need to log in for this',
      403: 'That is not allowed',
      404: 'There is nothing here',
      405: 'This page can only be read',
      409: 'It is on its way already',
      413: 'That is too large',
      422: 'That address is not quite right',
      429: 'Slow down, please',
      503: 'Too busy just now',
    },
    serverError: 'Something went wrong',
    clientError: 'That did not work',
    retryLater: (isWell) => html`Load the page again in a moment. ${isWell('Is the service well?')}`,
    logIn: 'Log in',
    inProgress: 'Load this page again in a moment to see what became of it. It is not sent twice.',
    homeLink: 'To the first page',
    notFoundHelp: ({ first, places, reference }) =>
      html`The address may be mistyped, or what was here is gone. Start again from ${first('the first page')},
        find ${places('a place')}, or read ${reference('the API reference')}.`,
    statusLine: (status, requestId) => html`Status ${status}. If you ask us about it, tell us this number: ${requestId}`,
  },
  es: {
    titles: {
      401: 'Para esto tienes que iniciar sesión',
      403: 'Eso no está permitido',
      404: 'Aquí no hay nada',
      405: 'Esta página solo se puede leer',
      409: 'Ya está en camino',
      413: 'Eso es demasiado grande',
      422: 'Esa dirección no está del todo bien',
      429: 'Más despacio, por favor',
      503: 'Demasiado trabajo ahora mismo',
    },
    serverError: 'Algo ha fallado',
    clientError: 'Eso no ha funcionado',
    retryLater: (isWell) => html`Vuelve a cargar la página dentro de un momento. ${isWell('¿Está bien el servicio?')}`,
    logIn: 'Iniciar sesión',
    inProgress: 'Vuelve a cargar esta página dentro de un momento para ver qué ha sido de ello. No se envía dos veces.',
    homeLink: 'A la primera página',
    notFoundHelp: ({ first, places, reference }) =>
      html`Puede que la dirección esté mal escrita, o que lo que había aquí ya no exista. Empieza de nuevo en ${first('la primera página')},
        busca ${places('un lugar')} o lee ${reference('la referencia de la API')}.`,
    statusLine: (status, requestId) => html`Estado ${status}. Si nos preguntas por ello, dinos este número: ${requestId}`,
  },
  fr: {
    titles: {
      401: 'Il faut vous connecter pour cela',
      403: 'Ce n’est pas permis',
      404: 'Il n’y a rien ici',
      405: 'Cette page ne peut qu’être lue',
      409: 'C’est déjà en route',
      413: 'C’est trop volumineux',
      422: 'Cette adresse n’est pas tout à fait juste',
      429: 'Moins vite, s’il vous plaît',
      503: 'Trop de travail en ce moment',
    },
    serverError: 'Quelque chose s’est mal passé',
    clientError: 'Cela n’a pas marché',
    retryLater: (isWell) => html`Rechargez la page dans un instant. ${isWell('Le service va-t-il bien ?')}`,
    logIn: 'Se connecter',
    inProgress: 'Rechargez cette page dans un instant pour voir ce qu’il en est. Rien n’est envoyé deux fois.',
    homeLink: 'Vers la première page',
    notFoundHelp: ({ first, places, reference }) =>
      html`L’adresse est peut-être mal écrite, ou ce qui était ici n’existe plus. Recommencez à ${first('la première page')},
        cherchez ${places('un lieu')} ou lisez ${reference('la référence de l’API')}.`,
    statusLine: (status, requestId) => html`Statut ${status}. Si vous nous en parlez, dites-nous ce numéro : ${requestId}`,
  },
}
