import type { Language } from '../errors/texts/languages.ts'

/** Texts of the menus in the header, which pages of the account use, too. */
export interface MenuTexts {
  /** The menu of a phone. */
  readonly menu: string
  readonly map: string
  readonly questions: string
  /** The link is for members of organisations. */
  readonly work: string
  readonly reports: string
  readonly following: string
  readonly watchAreas: string
  readonly settings: string
  readonly operations: string
  readonly queues: string
  /** An ICU message, for screen readers. */
  readonly pendingItems: string
  readonly about: string
  readonly privacy: string
  readonly terms: string
}

export const menuTexts: Readonly<Record<Language, MenuTexts>> = {
  en: {
    menu: 'Menu',
    map: 'Map',
    questions: 'Questions',
    work: 'Work',
    reports: 'My reports',
    following: 'Following',
    watchAreas: 'My areas',
    settings: 'Account settings',
    operations: 'Operations',
    queues: 'Job queues',
    pendingItems: '{count, plural, one {# item to decide} other {# items to decide}}',
    about: 'About',
    privacy: 'Privacy',
    terms: 'Terms',
  },
  es: {
    menu: 'Menú',
    map: 'Mapa',
    questions: 'Preguntas',
    work: 'Trabajo',
    reports: 'Mis reportes',
    following: 'Seguidos',
    watchAreas: 'Mis zonas',
    settings: 'Ajustes de la cuenta',
    operations: 'Operaciones',
    queues: 'Colas de tareas',
    pendingItems: '{count, plural, one {# elemento por decidir} other {# elementos por decidir}}',
    about: 'Sobre este sitio',
    privacy: 'Privacidad',
    terms: 'Condiciones',
  },
  fr: {
    menu: 'Menu',
    map: 'Carte',
    questions: 'Questions',
    work: 'Travail',
    reports: 'Mes signalements',
    following: 'Suivis',
    watchAreas: 'Mes zones',
    settings: 'Réglages du compte',
    operations: 'Exploitation',
    queues: 'Files de tâches',
    pendingItems: '{count, plural, one {# élément à traiter} other {# éléments à traiter}}',
    about: 'À propos',
    privacy: 'Confidentialité',
    terms: 'Conditions',
  },
}
