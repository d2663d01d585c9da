import { html, type SafeHtml } from './template.ts'
import type { Language } from '../errors/texts/languages.ts'

type Link = (text: string) => SafeHtml

export interface ProblemTexts {
  /** Titles by status; other statuses use `clientError` or `serverError`. */
  readonly titles: Readonly<Record<(typeof statusesWithTitle)[number], string>>
  readonly serverError: string
  readonly clientError: string
  readonly retryLater: (isWell: Link) => SafeHtml
  readonly logIn: string
  readonly inProgress: string
  readonly sendLess: string
  readonly homeLink: string
  readonly notFoundHelp: (links: Readonly<Record<'first' | 'places' | 'reference', Link>>) => SafeHtml
  readonly statusLine: (status: number, requestId: SafeHtml) => SafeHtml
}

export const statusesWithTitle = [401, 403, 404, 405, 409, 413, 422, 429, 503] as const

export function problemTitle({ titles, serverError, clientError }: ProblemTexts, status: number): string {
  const known = statusesWithTitle.find((one) => one === status)
  return known ? titles[known] : status >= 500 ? serverError : clientError
}

export const problemTexts: Readonly<Record<Language, ProblemTexts>> = {
  en: {
    titles: {
      401: 'You need to log in for this',
      403: 'You are not allowed to do this',
      404: 'Page not found',
      405: 'This page can only be read',
      409: 'This is already in progress',
      413: 'That is too large',
      422: 'This address is not valid',
      429: 'Too many requests',
      503: 'The service is busy',
    },
    serverError: 'Something went wrong',
    clientError: 'That did not work',
    retryLater: (isWell) => html`Reload the page in a moment. ${isWell('Check the status of the service')}`,
    logIn: 'Log in',
    inProgress: 'Reload this page in a moment to see the result. Nothing is sent twice.',
    sendLess:
      'Go back to the form with the back button of your browser: most browsers still have what you wrote. Then send it with fewer or smaller files.',
    homeLink: 'Go to the home page',
    notFoundHelp: ({ first, places, reference }) =>
      html`The address may be mistyped, or the page no longer exists. Start again from ${first('the home page')},
        find ${places('a place')}, or read ${reference('the API reference')}.`,
    statusLine: (status, requestId) => html`Status ${status}. If you contact us about it, send us this id: ${requestId}`,
  },
  es: {
    titles: {
      401: 'Para esto tienes que iniciar sesión',
      403: 'No tienes permiso para hacer esto',
      404: 'Página no encontrada',
      405: 'Esta página solo se puede leer',
      409: 'Esto ya está en curso',
      413: 'Eso es demasiado grande',
      422: 'Esta dirección no es válida',
      429: 'Demasiadas peticiones',
      503: 'El servicio está ocupado',
    },
    serverError: 'Algo ha fallado',
    clientError: 'Eso no ha funcionado',
    retryLater: (isWell) => html`Vuelve a cargar la página dentro de un momento. ${isWell('Consulta el estado del servicio')}`,
    logIn: 'Iniciar sesión',
    inProgress: 'Vuelve a cargar esta página dentro de un momento para ver el resultado. Nada se envía dos veces.',
    sendLess:
      'Vuelve al formulario con el botón Atrás de tu navegador: la mayoría de los navegadores conserva lo que escribiste. Después envíalo con menos archivos o más pequeños.',
    homeLink: 'Ir a la página de inicio',
    notFoundHelp: ({ first, places, reference }) =>
      html`Puede que la dirección esté mal escrita, o que la página ya no exista. Empieza de nuevo en ${first('la página de inicio')},
        busca ${places('un lugar')} o lee ${reference('la referencia de la API')}.`,
    statusLine: (status, requestId) => html`Estado ${status}. Si nos escribes por ello, envíanos este id: ${requestId}`,
  },
  fr: {
    titles: {
      401: 'Il faut vous connecter pour cela',
      403: 'Vous n’avez pas le droit de faire cela',
      404: 'Page introuvable',
      405: 'Cette page ne peut qu’être lue',
      409: 'C’est déjà en cours',
      413: 'C’est trop volumineux',
      422: 'Cette adresse n’est pas valide',
      429: 'Trop de requêtes',
      503: 'Le service est occupé',
    },
    serverError: 'Quelque chose s’est mal passé',
    clientError: 'Cela n’a pas marché',
    retryLater: (isWell) => html`Rechargez la page dans un instant. ${isWell('Consultez l’état du service')}`,
    logIn: 'Se connecter',
    inProgress: 'Rechargez cette page dans un instant pour voir le résultat. Rien n’est envoyé deux fois.',
    sendLess:
      'Revenez au formulaire avec le bouton Retour de votre navigateur : la plupart des navigateurs ont encore ce que vous aviez écrit. Envoyez-le ensuite avec des fichiers moins nombreux ou plus petits.',
    homeLink: 'Aller à la page d’accueil',
    notFoundHelp: ({ first, places, reference }) =>
      html`L’adresse est peut-être mal écrite, ou la page n’existe plus. Recommencez à ${first('la page d’accueil')},
        cherchez ${places('un lieu')} ou lisez ${reference('la référence de l’API')}.`,
    statusLine: (status, requestId) => html`Statut ${status}. Si vous nous écrivez à ce sujet, envoyez-nous cet id : ${requestId}`,
  },
}
