import type { Language } from '../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { WorkSort, WorkTab } from './work-query.ts'

type Link = (text: string) => SafeHtml

export interface WorkTexts {
  readonly title: string
  readonly description: string
  /** Instead of the names, for an Admin who belongs to none. */
  readonly allOrganizations: string
  readonly tabs: Readonly<Record<WorkTab, string>>
  readonly empty: Readonly<Record<WorkTab, string>>
  readonly noneMatches: (all: Link) => SafeHtml
  readonly emptyPage: (first: Link) => SafeHtml
  readonly filters: string
  readonly kind: string
  readonly everyKind: string
  readonly place: string
  readonly everywhere: string
  readonly order: string
  readonly sorts: Readonly<Record<WorkSort, string>>
  readonly status: string
  readonly apply: string
  readonly reset: string
  /** An ICU message. */
  readonly issues: string
  /** An ICU message. */
  readonly votes: string
  readonly assignedTo: (name: string) => string
  readonly notAssigned: string
  readonly onMap: string
  readonly community: string
  readonly communityHint: string
  readonly communityNear: (organization: string) => string
}

export const workTexts: Readonly<Record<Language, WorkTexts>> = {
  en: {
    title: 'Work',
    description: 'The issues that your organisation looks after.',
    allOrganizations: 'All organisations',
    tabs: { open: 'To acknowledge', acknowledged: 'Acknowledged', mine: 'Assigned to me', unassigned: 'Unassigned' },
    empty: {
      open: 'No report waits for an answer.',
      acknowledged: 'No issue is acknowledged and still open.',
      mine: 'No issue is assigned to you.',
      unassigned: 'Every issue has an assignee.',
    },
    noneMatches: (all) => html`No issue matches the filters. ${all('Show all')}`,
    emptyPage: (first) => html`This page of the list is empty. ${first('Go to the first page')}`,
    filters: 'Filters and order',
    kind: 'Kind of problem',
    everyKind: 'All kinds',
    place: 'Place',
    everywhere: 'Everywhere',
    order: 'Order',
    sorts: { oldest: 'Oldest first', newest: 'Newest first', votes: 'Most supported first' },
    status: 'Status',
    apply: 'Apply',
    reset: 'Remove all filters',
    issues: '{count, plural, one {# issue} other {# issues}}',
    votes: '{count, plural, one {# vote} other {# votes}}',
    assignedTo: (name) => `assigned to ${name}`,
    notAssigned: 'unassigned',
    onMap: 'Show these issues on the map',
    community: 'Community reports',
    communityHint: 'These reports belong to no organisation. You may acknowledge and close those in the area of yours.',
    communityNear: (organization) => `Open community reports around the area of ${organization}`,
  },
  es: {
    title: 'Trabajo',
    description: 'Los reportes que atiende tu organización.',
    allOrganizations: 'Todas las organizaciones',
    tabs: { open: 'Por reconocer', acknowledged: 'Reconocidos', mine: 'Asignados a mí', unassigned: 'Sin asignar' },
    empty: {
      open: 'Ningún reporte espera una respuesta.',
      acknowledged: 'Ningún reporte está reconocido y sin cerrar.',
      mine: 'No tienes reportes asignados.',
      unassigned: 'Todos los reportes están asignados a alguien.',
    },
    noneMatches: (all) => html`Ningún reporte coincide con los filtros. ${all('Mostrar todos')}`,
    emptyPage: (first) => html`Esta página de la lista está vacía. ${first('Ir a la primera página')}`,
    filters: 'Filtros y orden',
    kind: 'Tipo de problema',
    everyKind: 'Todos los tipos',
    place: 'Lugar',
    everywhere: 'En todas partes',
    order: 'Orden',
    sorts: { oldest: 'Primero los más antiguos', newest: 'Primero los más recientes', votes: 'Primero los más apoyados' },
    status: 'Estado',
    apply: 'Aplicar',
    reset: 'Quitar todos los filtros',
    issues: '{count, plural, one {# reporte} other {# reportes}}',
    votes: '{count, plural, one {# voto} other {# votos}}',
    assignedTo: (name) => `asignado a ${name}`,
    notAssigned: 'sin asignar',
    onMap: 'Mostrar estos reportes en el mapa',
    community: 'Reportes de la comunidad',
    communityHint:
      'Estos reportes no pertenecen a ninguna organización. Puedes reconocer y cerrar los que están en la zona de la tuya.',
    communityNear: (organization) => `Reportes abiertos de la comunidad en torno a la zona de ${organization}`,
  },
  fr: {
    title: 'Travail',
    description: 'Les signalements dont votre organisation s’occupe.',
    allOrganizations: 'Toutes les organisations',
    tabs: { open: 'À prendre en compte', acknowledged: 'Pris en compte', mine: 'Attribués à moi', unassigned: 'Non attribués' },
    empty: {
      open: 'Aucun signalement n’attend de réponse.',
      acknowledged: 'Aucun signalement n’est pris en compte sans être clos.',
      mine: 'Aucun signalement ne vous est attribué.',
      unassigned: 'Tous les signalements sont attribués.',
    },
    noneMatches: (all) => html`Aucun signalement ne correspond aux filtres. ${all('Tout afficher')}`,
    emptyPage: (first) => html`Cette page de la liste est vide. ${first('Aller à la première page')}`,
    filters: 'Filtres et ordre',
    kind: 'Type de problème',
    everyKind: 'Tous les types',
    place: 'Lieu',
    everywhere: 'Partout',
    order: 'Ordre',
    sorts: { oldest: 'Les plus anciens d’abord', newest: 'Les plus récents d’abord', votes: 'Les plus soutenus d’abord' },
    status: 'Statut',
    apply: 'Appliquer',
    reset: 'Enlever tous les filtres',
    issues: '{count, plural, one {# signalement} other {# signalements}}',
    votes: '{count, plural, one {# vote} other {# votes}}',
    assignedTo: (name) => `attribué à ${name}`,
    notAssigned: 'non attribué',
    onMap: 'Afficher ces signalements sur la carte',
    community: 'Signalements de la communauté',
    communityHint:
      'Ces signalements n’appartiennent à aucune organisation. Vous pouvez prendre en compte et clore ceux qui se trouvent dans la zone de la vôtre.',
    communityNear: (organization) => `Signalements ouverts de la communauté autour de la zone de ${organization}`,
  },
}
