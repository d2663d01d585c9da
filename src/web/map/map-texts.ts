import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'
import type { Status } from '../../issue-lifecycle/status.ts'

export interface MapTexts {
  readonly title: string
  readonly description: string
  readonly heading: string
  readonly map: string
  readonly reportHere: string
  readonly filters: string
  readonly words: string
  readonly status: string
  readonly statuses: Readonly<Record<Status, string>>
  readonly kind: string
  readonly everyKind: string
  readonly from: string
  readonly until: string
  readonly assignedToMe: string
  readonly apply: string
  readonly reset: string
  readonly places: string
  readonly allPlaces: string
  readonly everywhere: string
  readonly issues: (count: string, isOne: boolean) => string
  readonly empty: string
  readonly showAll: string
  readonly feed: string
  readonly noPlaces: SafeHtml
  readonly previous: string
  readonly next: string
  readonly pageOf: (page: string, pages: string) => string
  readonly pages: string
  readonly failed: string
  readonly drawn: string
}

export const mapTexts: Readonly<Record<Language, MapTexts>> = {
  en: {
    title: 'Map of issues',
    description: 'See what is broken in your city, and what is being done about it.',
    heading: 'What is broken here?',
    map: 'Map of issues. The list next to it has the same issues.',
    reportHere: 'Report a problem',
    filters: 'Filters',
    words: 'Words',
    status: 'Status',
    statuses: { Open: 'Open', Acknowledged: 'Acknowledged', Closed: 'Closed', Archived: 'Archived' },
    kind: 'Kind of problem',
    everyKind: 'All kinds',
    from: 'Reported from',
    until: 'before',
    assignedToMe: 'Assigned to me',
    apply: 'Apply',
    reset: 'Remove all filters',
    places: 'Places',
    allPlaces: 'Find another place',
    everywhere: 'Everywhere',
    issues: (count, isOne) => `${count} ${isOne ? 'issue' : 'issues'}`,
    empty: 'No issue in this view matches the filters.',
    showAll: 'Show all issues here',
    feed: 'Follow this list in a feed reader',
    noPlaces: html`There are no places yet. Fill the service from its folder, then load this page again:`,
    previous: 'Previous',
    next: 'Next',
    pageOf: (page, pages) => `Page ${page} of ${pages}`,
    pages: 'Pages',
    failed: 'The map could not be loaded. The list has all issues.',
    drawn: 'Drawn map of the issues',
  },
  es: {
    title: 'Mapa de reportes',
    description: 'Mira qué está roto en tu ciudad y qué se está haciendo al respecto.',
    heading: '¿Qué está roto aquí?',
    map: 'Mapa de reportes. La lista contigua contiene los mismos reportes.',
    reportHere: 'Reportar un problema',
    filters: 'Filtros',
    words: 'Palabras',
    status: 'Estado',
    statuses: { Open: 'Abierto', Acknowledged: 'Reconocido', Closed: 'Cerrado', Archived: 'Archivado' },
    kind: 'Tipo de problema',
    everyKind: 'Todos los tipos',
    from: 'Enviado desde',
    until: 'antes de',
    assignedToMe: 'Asignados a mí',
    apply: 'Aplicar',
    reset: 'Quitar todos los filtros',
    places: 'Lugares',
    allPlaces: 'Buscar otro lugar',
    everywhere: 'En todas partes',
    issues: (count, isOne) => `${count} ${isOne ? 'reporte' : 'reportes'}`,
    empty: 'Ningún reporte de esta vista coincide con los filtros.',
    showAll: 'Mostrar todos los reportes de aquí',
    feed: 'Seguir esta lista en un lector de noticias',
    noPlaces: html`Todavía no hay lugares. Llena el servicio desde su carpeta y vuelve a cargar esta página:`,
    previous: 'Anterior',
    next: 'Siguiente',
    pageOf: (page, pages) => `Página ${page} de ${pages}`,
    pages: 'Páginas',
    failed: 'No se pudo cargar el mapa. La lista contiene todos los reportes.',
    drawn: 'Mapa dibujado de los reportes',
  },
  fr: {
    title: 'Carte des signalements',
    description: 'Voyez ce qui est cassé dans votre ville et ce qui est fait pour y remédier.',
    heading: 'Qu’est-ce qui est cassé ici ?',
    map: 'Carte des signalements. La liste à côté contient les mêmes signalements.',
    reportHere: 'Signaler un problème',
    filters: 'Filtres',
    words: 'Mots',
    status: 'État',
    statuses: { Open: 'Ouvert', Acknowledged: 'Pris en compte', Closed: 'Clos', Archived: 'Archivé' },
    kind: 'Type de problème',
    everyKind: 'Tous les types',
    from: 'Signalé depuis',
    until: 'avant le',
    assignedToMe: 'Qui me sont attribués',
    apply: 'Appliquer',
    reset: 'Enlever tous les filtres',
    places: 'Lieux',
    allPlaces: 'Trouver un autre lieu',
    everywhere: 'Partout',
    issues: (count, isOne) => `${count} ${isOne ? 'signalement' : 'signalements'}`,
    empty: 'Aucun signalement de cette vue ne correspond aux filtres.',
    showAll: 'Afficher tous les signalements d’ici',
    feed: 'Suivre cette liste dans un lecteur de flux',
    noPlaces: html`Il n’y a pas encore de lieux. Remplissez le service depuis son dossier, puis rechargez cette page :`,
    previous: 'Précédent',
    next: 'Suivant',
    pageOf: (page, pages) => `Page ${page} sur ${pages}`,
    pages: 'Pages',
    failed: 'La carte n’a pas pu être chargée. La liste contient tous les signalements.',
    drawn: 'Carte dessinée des signalements',
  },
}
