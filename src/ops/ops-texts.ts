import type { Language } from '../errors/texts/languages.ts'

export interface OpsTexts {
  readonly title: string
  readonly colon: string
  readonly description: string
  readonly allPass: string
  readonly alarms: string
  readonly warning: string
  readonly queues: string
  readonly columns: readonly [queue: string, workers: string, waiting: string, active: string, failed: string]
  readonly jobs: string
  readonly deadLetters: (count: string) => string
  readonly health: string
  readonly metrics: string
  readonly trace: string
  readonly traceLabel: string
  readonly traceButton: string
  readonly traceTitles: Readonly<Record<'event' | 'mail' | 'request', (id: string) => string>>
  readonly traceDescription: string
  readonly event: (id: number) => string
  readonly eventOf: (type: string, subject: number) => string
  readonly noRequest: string
  readonly request: string
  readonly anonymous: string
  readonly byService: string
  readonly byUser: (id: number) => string
  readonly mails: string
  readonly moreMails: (count: number) => string
  readonly unknownQueue: string
  readonly due: (time: string) => string
  readonly requeues: (count: number) => string
  readonly job: (id: string) => string
  readonly mailTo: (address: string) => string
  readonly hiddenAddress: string
  readonly attempts: (count: number) => string
}

export const opsTexts: Readonly<Record<Language, OpsTexts>> = {
  en: {
    title: 'Operations',
    colon: ':',
    description: 'Health of this service.',
    allPass: 'All checks pass.',
    alarms: 'These alarms need attention:',
    warning: 'Warning:',
    queues: 'The queues',
    columns: ['Queue', 'Workers', 'Waiting', 'Active', 'Failed'],
    jobs: 'Queues and jobs',
    deadLetters: (count) => `Dead letters: ${count}`,
    health: 'Health, for a monitor',
    metrics: 'Metrics, for Prometheus',
    trace: 'Trace',
    traceLabel: 'The id of an event, a mail (its Message-ID) or a request',
    traceButton: 'Trace',
    traceTitles: {
      event: (id) => `Trace of event ${id}`,
      mail: (id) => `Trace of mail ${id}`,
      request: (id) => `Trace of request ${id}`,
    },
    traceDescription: 'From the request to the mails.',
    event: (id) => `Event ${id}`,
    eventOf: (type, subject) => `${type} of ${subject}`,
    noRequest: 'no request',
    request: 'request',
    anonymous: 'about an anonymous report, without names',
    byService: 'by the service',
    byUser: (id) => `by user ${id}`,
    mails: 'Mails',
    moreMails: (count) => `and ${count} more`,
    unknownQueue: 'unknown here',
    due: (time) => `due ${time}`,
    requeues: (count) => `requeues: ${count}`,
    job: (id) => `job ${id}`,
    mailTo: (address) => `to ${address}`,
    hiddenAddress: 'a hidden address',
    attempts: (count) => `attempts: ${count}`,
  },
  es: {
    title: 'Operaciones',
    colon: ':',
    description: 'Estado de este servicio.',
    allPass: 'Todas las comprobaciones son correctas.',
    alarms: 'Estas alarmas requieren atención:',
    warning: 'Aviso:',
    queues: 'Las colas',
    columns: ['Cola', 'Procesos', 'En espera', 'En curso', 'Fallidos'],
    jobs: 'Colas y trabajos',
    deadLetters: (count) => `Mensajes fallidos: ${count}`,
    health: 'Estado, para un monitor',
    metrics: 'Métricas, para Prometheus',
    trace: 'Rastreo',
    traceLabel: 'El id de un evento, de un correo (su Message-ID) o de una petición',
    traceButton: 'Rastrear',
    traceTitles: {
      event: (id) => `Rastreo del evento ${id}`,
      mail: (id) => `Rastreo del correo ${id}`,
      request: (id) => `Rastreo de la petición ${id}`,
    },
    traceDescription: 'Desde la petición hasta los correos.',
    event: (id) => `Evento ${id}`,
    eventOf: (type, subject) => `${type} de ${subject}`,
    noRequest: 'sin petición',
    request: 'petición',
    anonymous: 'sobre un reporte anónimo, sin nombres',
    byService: 'por el servicio',
    byUser: (id) => `por el usuario ${id}`,
    mails: 'Correos',
    moreMails: (count) => `y ${count} más`,
    unknownQueue: 'desconocida aquí',
    due: (time) => `previsto para ${time}`,
    requeues: (count) => `reencolados: ${count}`,
    job: (id) => `trabajo ${id}`,
    mailTo: (address) => `para ${address}`,
    hiddenAddress: 'una dirección oculta',
    attempts: (count) => `intentos: ${count}`,
  },
  fr: {
    title: 'Exploitation',
    colon: ' :',
    description: 'État de ce service.',
    allPass: 'Tous les contrôles sont réussis.',
    alarms: 'Ces alarmes demandent de l’attention :',
    warning: 'Avertissement :',
    queues: 'Les files d’attente',
    columns: ['File', 'Processus', 'En attente', 'En cours', 'En échec'],
    jobs: 'Files d’attente et tâches',
    deadLetters: (count) => `Lettres mortes : ${count}`,
    health: 'État, pour la supervision',
    metrics: 'Métriques, pour Prometheus',
    trace: 'Suivi',
    traceLabel: 'L’id d’un événement, d’un courriel (son Message-ID) ou d’une requête',
    traceButton: 'Suivre',
    traceTitles: {
      event: (id) => `Suivi de l’événement ${id}`,
      mail: (id) => `Suivi du courriel ${id}`,
      request: (id) => `Suivi de la requête ${id}`,
    },
    traceDescription: 'De la requête aux courriels.',
    event: (id) => `Événement ${id}`,
    eventOf: (type, subject) => `${type} de ${subject}`,
    noRequest: 'sans requête',
    request: 'requête',
    anonymous: 'à propos d’un signalement anonyme, sans noms',
    byService: 'par le service',
    byUser: (id) => `par l’utilisateur ${id}`,
    mails: 'Courriels',
    moreMails: (count) => `et ${count} de plus`,
    unknownQueue: 'inconnue ici',
    due: (time) => `prévu pour ${time}`,
    requeues: (count) => `remises en file : ${count}`,
    job: (id) => `tâche ${id}`,
    mailTo: (address) => `à ${address}`,
    hiddenAddress: 'une adresse masquée',
    attempts: (count) => `tentatives : ${count}`,
  },
}
