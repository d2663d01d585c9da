import type { Language } from '../../errors/texts/languages.ts'

export interface UserTexts {
  readonly description: (name: string) => string
  readonly points: string
  readonly reported: string
  readonly closed: string
  readonly comments: string
  readonly following: string
  readonly voted: string
  readonly acknowledges: string
  readonly yes: string
  readonly since: string
  readonly changed: string
  readonly json: string
}

export const userTexts: Readonly<Record<Language, UserTexts>> = {
  en: {
    description: (name) => `The public activity of ${name}.`,
    points: 'Civic points',
    reported: 'Issues reported',
    closed: 'Issues closed',
    comments: 'Comments',
    following: 'Issues followed',
    voted: 'Votes',
    acknowledges: 'May acknowledge issues',
    yes: 'Yes',
    since: 'Member since',
    changed: 'Last change',
    json: 'This user as JSON',
  },
  es: {
    description: (name) => `Lo que ${name} hizo en público.`,
    points: 'Puntos cívicos',
    reported: 'Reportes enviados',
    closed: 'Reportes cerrados',
    comments: 'Comentarios',
    following: 'Reportes seguidos',
    voted: 'Votos',
    acknowledges: 'Puede reconocer reportes',
    yes: 'Sí',
    since: 'Miembro desde',
    changed: 'Último cambio',
    json: 'Este usuario como JSON',
  },
  fr: {
    description: (name) => `Ce que ${name} a fait en public.`,
    points: 'Points civiques',
    reported: 'Signalements envoyés',
    closed: 'Signalements clos',
    comments: 'Commentaires',
    following: 'Signalements suivis',
    voted: 'Votes',
    acknowledges: 'Peut prendre en charge des signalements',
    yes: 'Oui',
    since: 'Membre depuis',
    changed: 'Dernière modification',
    json: 'Cet utilisateur en JSON',
  },
}
