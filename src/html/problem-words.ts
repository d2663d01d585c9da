import { html, type SafeHtml } from './template.ts'
import type { Language } from '../errors/texts/languages.ts'

/** A link with this text, or a button that is one. */
type Link = (text: string) => SafeHtml

/** What a page says about a failure beside its texts. */
export interface ProblemWords {
  /** By status, as far as there is one of its own. */
  readonly titles: Readonly<Record<(typeof titled)[number], string>>
  readonly ours: string
  readonly other: string
  readonly again: (isWell: Link) => SafeHtml
  readonly logIn: string
  readonly onItsWay: string
  readonly toFirstPage: string
  readonly lost: (links: Readonly<Record<'first' | 'places' | 'reference', Link>>) => SafeHtml
  readonly status: (status: number, requestId: SafeHtml) => SafeHtml
}

export const titled = [401, 403, 404, 405, 409, 413, 422, 429, 503] as const

export function titleOf({ titles, ours, other }: ProblemWords, status: number): string {
  const known = titled.find((one) => one === status)
  return known ? titles[known] : status >= 500 ? ours : other
}

/** The compiler refuses a gap. */
export const problemWords: Readonly<Record<Language, ProblemWords>> = {
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
    ours: 'Something went wrong',
    other: 'That did not work',
    again: (isWell) => html`Load the page again in a moment. ${isWell('Is the service well?')}`,
    logIn: 'Log in',
    onItsWay: 'Load this page again in a moment to see what became of it. It is not sent twice.',
    toFirstPage: 'To the first page',
    lost: ({ first, places, reference }) =>
      html`The address may be mistyped, or what was here is gone. Start again from ${first('the first page')},
        find ${places('a place')}, or read ${reference('the API reference')}.`,
    status: (status, requestId) => html`Status ${status}. If you ask us about it, tell us this number: ${requestId}`,
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
    ours: 'Algo ha fallado',
    other: 'Eso no ha funcionado',
    again: (isWell) => html`Vuelve a cargar la página dentro de un momento. ${isWell('¿Está bien el servicio?')}`,
    logIn: 'Iniciar sesión',
    onItsWay: 'Vuelve a cargar esta página dentro de un momento para ver qué ha sido de ello. No se envía dos veces.',
    toFirstPage: 'A la primera página',
    lost: ({ first, places, reference }) =>
      html`Puede que la dirección esté mal escrita, o que lo que había aquí ya no exista. Empieza de nuevo en ${first('la primera página')},
        busca ${places('un lugar')} o lee ${reference('la referencia de la API')}.`,
    status: (status, requestId) => html`Estado ${status}. Si nos preguntas por ello, dinos este número: ${requestId}`,
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
    ours: 'Quelque chose s’est mal passé',
    other: 'Cela n’a pas marché',
    again: (isWell) => html`Rechargez la page dans un instant. ${isWell('Le service va-t-il bien ?')}`,
    logIn: 'Se connecter',
    onItsWay: 'Rechargez cette page dans un instant pour voir ce qu’il en est. Rien n’est envoyé deux fois.',
    toFirstPage: 'Vers la première page',
    lost: ({ first, places, reference }) =>
      html`L’adresse est peut-être mal écrite, ou ce qui était ici n’existe plus. Recommencez à ${first('la première page')},
        cherchez ${places('un lieu')} ou lisez ${reference('la référence de l’API')}.`,
    status: (status, requestId) => html`Statut ${status}. Si vous nous en parlez, dites-nous ce numéro : ${requestId}`,
  },
}
