import type { Language } from '../../errors/texts/languages.ts'

/** Texts of the reference page except for the operations, which are in English. */
export interface ReferenceTexts {
  readonly description: string
  readonly skip: string
  readonly main: string
  readonly report: string
  readonly map: string
  readonly menu: string
  readonly places: string
  readonly questions: string
  readonly logIn: string
  readonly account: string
  readonly documents: string
  readonly needsScript: string
  readonly search: string
  readonly searchHint: string
  /** Without results, or with several. The script replaces `{count}`. */
  readonly found: string
  readonly foundOne: string
}

export const referenceTexts: Readonly<Record<Language, ReferenceTexts>> = {
  en: {
    description: 'The HTTP API of Fixpoint: every operation with its parameters and responses.',
    skip: 'Skip to the operations',
    main: 'Main',
    report: 'Report',
    map: 'Map',
    menu: 'Menu',
    places: 'Places',
    questions: 'Questions',
    logIn: 'Log in',
    account: 'Account',
    documents: 'Documents',
    needsScript: 'This page needs JavaScript. The same document without it:',
    search: 'Find an operation',
    searchHint: 'Words of its path or summary, for example “comment flag”.',
    found: '{count} operations found.',
    foundOne: '1 operation found.',
  },
  es: {
    description: 'La API HTTP de Fixpoint: cada operación con sus parámetros y respuestas, en inglés.',
    skip: 'Saltar a las operaciones',
    main: 'Principal',
    report: 'Reportar',
    map: 'Mapa',
    menu: 'Menú',
    places: 'Lugares',
    questions: 'Preguntas',
    logIn: 'Iniciar sesión',
    account: 'Cuenta',
    documents: 'Documentos',
    needsScript: 'Esta página necesita JavaScript. El mismo documento sin él:',
    search: 'Buscar una operación',
    searchHint: 'Palabras en inglés de su ruta o de su resumen, por ejemplo «comment flag».',
    found: '{count} operaciones encontradas.',
    foundOne: '1 operación encontrada.',
  },
  fr: {
    description: 'L’API HTTP de Fixpoint : chaque opération avec ses paramètres et ses réponses, en anglais.',
    skip: 'Aller aux opérations',
    main: 'Principal',
    report: 'Signaler',
    map: 'Carte',
    menu: 'Menu',
    places: 'Lieux',
    questions: 'Questions',
    logIn: 'Se connecter',
    account: 'Compte',
    documents: 'Documents',
    needsScript: 'Cette page nécessite JavaScript. Le même document sans lui :',
    search: 'Trouver une opération',
    searchHint: 'Mots anglais de son chemin ou de son résumé, par exemple « comment flag ».',
    found: 'Opérations trouvées : {count}.',
    foundOne: '1 opération trouvée.',
  },
}
