import type { Language } from '../../errors/texts/languages.ts'

export interface SeveralTexts {
  readonly title: string
  readonly hint: string
  readonly select: string
  /** Names the checkbox of an item for screen readers. */
  readonly selectItem: (item: string) => string
  readonly selectAll: string
  readonly selectNone: string
  readonly reason: string
  readonly reasonHint: (max: string) => string
  readonly approve: string
  readonly reject: string
  /** ICU messages. */
  readonly done: Readonly<Record<'approved' | 'rejected', string>>
  readonly left: string
  readonly unknownItem: (id: number) => string
}

export const severalTexts: Readonly<Record<Language, SeveralTexts>> = {
  en: {
    title: 'Decide on several items',
    hint: 'Select items in the list. Each one is decided on its own; items that changed meanwhile are left as they are.',
    select: 'Select',
    selectItem: (item) => `Select: ${item}`,
    selectAll: 'Select all on this page',
    selectNone: 'Select none',
    reason: 'Reason for the rejection',
    reasonHint: (max) => `Required to reject. The authors read it, up to ${max} characters.`,
    approve: 'Approve the selected items',
    reject: 'Reject the selected items',
    done: {
      approved: '{count, plural, one {# item} other {# items}} approved.',
      rejected: '{count, plural, one {# item} other {# items}} rejected. The authors are notified.',
    },
    left: '{count, plural, one {# item was} other {# items were}} left as before:',
    unknownItem: (id) => `Item ${id}`,
  },
  es: {
    title: 'Decidir sobre varios elementos',
    hint: 'Selecciona elementos de la lista. Cada uno se decide por separado; los que hayan cambiado entretanto se dejan como están.',
    select: 'Seleccionar',
    selectItem: (item) => `Seleccionar: ${item}`,
    selectAll: 'Seleccionar todos los de esta página',
    selectNone: 'No seleccionar ninguno',
    reason: 'Motivo del rechazo',
    reasonHint: (max) => `Obligatorio para rechazar. Lo leen los autores. Hasta ${max} caracteres.`,
    approve: 'Aprobar los seleccionados',
    reject: 'Rechazar los seleccionados',
    done: {
      approved: '{count, plural, one {# elemento aprobado} other {# elementos aprobados}}.',
      rejected: '{count, plural, one {# elemento rechazado} other {# elementos rechazados}}. Los autores reciben un aviso.',
    },
    left: '{count, plural, one {# elemento se dejó} other {# elementos se dejaron}} como antes:',
    unknownItem: (id) => `Elemento ${id}`,
  },
  fr: {
    title: 'Décider de plusieurs éléments',
    hint: 'Sélectionnez des éléments de la liste. Chacun est décidé séparément ; ceux qui ont changé entre-temps restent tels quels.',
    select: 'Sélectionner',
    selectItem: (item) => `Sélectionner : ${item}`,
    selectAll: 'Tout sélectionner sur cette page',
    selectNone: 'Ne rien sélectionner',
    reason: 'Motif du refus',
    reasonHint: (max) => `Obligatoire pour refuser. Les auteurs le lisent. Jusqu’à ${max} caractères.`,
    approve: 'Approuver la sélection',
    reject: 'Refuser la sélection',
    done: {
      approved: '{count, plural, one {# élément approuvé} other {# éléments approuvés}}.',
      rejected: '{count, plural, one {# élément refusé} other {# éléments refusés}}. Les auteurs en sont avertis.',
    },
    left: '{count, plural, one {# élément est resté} other {# éléments sont restés}} comme avant :',
    unknownItem: (id) => `Élément ${id}`,
  },
}
