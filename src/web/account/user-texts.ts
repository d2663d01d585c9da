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
  readonly flag: string
  /** Roles and witty titles by their names in the API, which are English. */
  readonly roles: Readonly<Record<string, string>>
  readonly wittyTitles: Readonly<Record<string, string>>
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
    flag: 'Flag this name or picture',
    roles: {},
    wittyTitles: {},
  },
  es: {
    description: (name) => `La actividad pública de ${name}.`,
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
    flag: 'Denunciar este nombre o esta imagen',
    roles: {
      'Registered User': 'Usuario registrado',
      'Verified Official': 'Cargo oficial verificado',
      Admin: 'Administración',
      Guest: 'Invitado',
    },
    wittyTitles: {
      'Street Smart': 'Buen ojo',
      'Civic Pride': 'Orgullo cívico',
      'Civic Crusader': 'Cruzada cívica',
      'Municipal Avenger': 'Justicia municipal',
      'Digital Superhero': 'Superpoder digital',
      'City Fixer': 'Ciudad a punto',
    },
  },
  fr: {
    description: (name) => `Ce que ${name} a fait en public.`,
    points: 'Points civiques',
    reported: 'Signalements envoyés',
    closed: 'Signalements clos',
    comments: 'Commentaires',
    following: 'Signalements suivis',
    voted: 'Votes',
    acknowledges: 'Peut prendre en compte des signalements',
    yes: 'Oui',
    since: 'Membre depuis',
    changed: 'Dernière modification',
    json: 'Cet utilisateur en JSON',
    flag: 'Dénoncer ce nom ou cette image',
    roles: {
      'Registered User': 'Utilisateur inscrit',
      'Verified Official': 'Agent public vérifié',
      Admin: 'Administration',
      Guest: 'Invité',
    },
    wittyTitles: {
      'Street Smart': 'Œil de lynx',
      'Civic Pride': 'Fierté civique',
      'Civic Crusader': 'Croisade civique',
      'Municipal Avenger': 'Justice municipale',
      'Digital Superhero': 'Super-pouvoir numérique',
      'City Fixer': 'Ville remise à neuf',
    },
  },
}
