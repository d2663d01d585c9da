import type { Texts } from './texts.ts'

/** Of what those see who keep the service running. */
export const operations = {
  'This is for administrators of the service.': {
    es: 'Esto es para administradores del servicio.',
    fr: 'Ceci est réservé aux administrateurs du service.',
  },
  'The board may not do this: jobs come from what happens in the service.': {
    es: 'El tablero no puede hacer esto: los trabajos vienen de lo que ocurre en el servicio.',
    fr: 'Le tableau ne peut pas faire cela : les tâches viennent de ce qui se passe dans le service.',
  },
  'The dead effect': { es: 'El efecto muerto', fr: 'L’effet mort' },
  'An event, a mail or a request of this id': {
    es: 'Un evento, un correo o una petición con este id',
    fr: 'Un événement, un courriel ou une requête de cet id',
  },
} satisfies Texts
