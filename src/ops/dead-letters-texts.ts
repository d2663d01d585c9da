import type { Language } from '../errors/texts/languages.ts'

export interface DeadLettersTexts {
  readonly title: string
  readonly description: string
  readonly explanation: string
  readonly none: string
  readonly noneExplanation: string
  readonly event: string
  readonly error: string
  readonly noError: string
  readonly happened: string
  readonly dead: string
  readonly starts: string
  readonly requeues: string
  readonly trace: string
  readonly retry: string
  /** The name of a button or link for those who hear it without its surroundings. */
  readonly actionLabel: (action: string, handler: string, event: number) => string
}

export const deadLettersTexts: Readonly<Record<Language, DeadLettersTexts>> = {
  en: {
    title: 'Dead letters',
    description: 'Deliveries that failed for about a day.',
    explanation:
      'A delivery becomes a dead letter after 34 starts without success, in about a day. It stays stored. Fix the cause of its error, then retry it: it is queued again, and its trace shows the result.',
    none: 'There are no dead letters.',
    noneExplanation: 'Every delivery was made or will still be tried.',
    event: 'Event',
    error: 'Last error',
    noError: 'Not recorded: the worker process crashed.',
    happened: 'Happened',
    dead: 'Given up',
    starts: 'Starts since the last retry',
    requeues: 'Requeues',
    trace: 'Trace',
    retry: 'Retry',
    actionLabel: (action, handler, event) => `${action}: ${handler} of event ${event}`,
  },
  es: {
    title: 'Mensajes fallidos',
    description: 'Entregas que fallaron durante un día, más o menos.',
    explanation:
      'Una entrega pasa a esta lista después de 34 intentos sin éxito, en un día, más o menos. Se conserva. Corrija la causa del error y vuelva a intentarla: entra de nuevo en la cola, y su rastreo muestra el resultado.',
    none: 'No hay mensajes fallidos.',
    noneExplanation: 'Cada entrega se hizo o se intentará de nuevo.',
    event: 'Evento',
    error: 'Último error',
    noError: 'No registrado: el proceso se interrumpió.',
    happened: 'Ocurrió',
    dead: 'Abandonado',
    starts: 'Intentos desde el último reintento',
    requeues: 'Reencolados',
    trace: 'Rastreo',
    retry: 'Reintentar',
    actionLabel: (action, handler, event) => `${action}: ${handler} del evento ${event}`,
  },
  fr: {
    title: 'Lettres mortes',
    description: 'Livraisons en échec depuis un jour environ.',
    explanation:
      'Une livraison devient une lettre morte après 34 essais sans succès, en un jour environ. Elle reste enregistrée. Corrigez la cause de son erreur, puis relancez-la : elle revient dans la file, et son suivi montre le résultat.',
    none: 'Il n’y a pas de lettre morte.',
    noneExplanation: 'Chaque livraison a été faite ou sera encore essayée.',
    event: 'Événement',
    error: 'Dernière erreur',
    noError: 'Non enregistrée : le processus s’est arrêté brutalement.',
    happened: 'Survenu',
    dead: 'Abandonnée',
    starts: 'Essais depuis la dernière relance',
    requeues: 'Remises en file',
    trace: 'Suivi',
    retry: 'Relancer',
    actionLabel: (action, handler, event) => `${action} : ${handler} de l’événement ${event}`,
  },
}
