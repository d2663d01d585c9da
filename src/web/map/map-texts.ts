import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type ControlText =
  | 'AttributionControl.ToggleAttribution'
  | 'CooperativeGesturesHandler.MacHelpText'
  | 'CooperativeGesturesHandler.MobileHelpText'
  | 'CooperativeGesturesHandler.WindowsHelpText'
  | 'GeolocateControl.FindMyLocation'
  | 'GeolocateControl.LocationNotAvailable'
  | 'Map.Title'
  | 'Marker.Title'
  | 'NavigationControl.ZoomIn'
  | 'NavigationControl.ZoomOut'

export interface MapTexts {
  readonly title: string
  readonly description: string
  readonly heading: string
  readonly map: string
  readonly reportHere: string
  readonly filters: string
  readonly words: string
  readonly status: string
  readonly kind: string
  readonly everyKind: string
  readonly from: string
  readonly until: string
  readonly assignee: string
  readonly anyAssignee: string
  readonly assignedToMe: string
  readonly notAssigned: string
  readonly apply: string
  readonly reset: string
  readonly places: string
  readonly allPlaces: string
  readonly everywhere: string
  /** An ICU message. */
  readonly issues: string
  readonly empty: string
  /** The empty list without filters. */
  readonly emptyUnfiltered: string
  readonly showAll: string
  readonly feed: string
  readonly noPlaces: SafeHtml
  readonly failed: { readonly map: string; readonly list: string }
  readonly drawn: string
  /** Texts of the controls by MapLibre's names. */
  readonly controls: Readonly<Record<ControlText, string>>
}

export const mapTexts: Readonly<Record<Language, MapTexts>> = {
  en: {
    title: 'Map of issues',
    description: 'See what is broken in your city, and what is being done about it.',
    heading: 'What is broken here?',
    map: 'Map of issues. The list next to it has the same issues.',
    reportHere: 'Report a problem',
    filters: 'Search and filters',
    words: 'Search the issues',
    status: 'Status',
    kind: 'Kind of problem',
    everyKind: 'All kinds',
    from: 'Reported from',
    until: 'before',
    assignee: 'Assigned to',
    anyAssignee: 'All issues',
    assignedToMe: 'Me',
    notAssigned: 'No one',
    apply: 'Apply',
    reset: 'Remove all filters',
    places: 'Places',
    allPlaces: 'Find another place',
    everywhere: 'Everywhere',
    issues: '{count, plural, one {# issue} other {# issues}}',
    empty: 'No issue in this view matches the filters.',
    emptyUnfiltered: 'No issues here yet. Zoom out or move the map to see others.',
    showAll: 'Show all issues here',
    feed: 'Follow this list in a feed reader',
    noPlaces: html`There are no places yet. Fill the service from its folder, then load this page again:`,
    failed: {
      map: 'Part of the map could not be loaded. Check your connection, then move the map.',
      list: 'The list could not be loaded. Check your connection, then move the map.',
    },
    drawn: 'Drawn map of the issues',
    controls: {
      'AttributionControl.ToggleAttribution': 'Show or hide the sources of the map',
      'CooperativeGesturesHandler.MacHelpText': 'Use ⌘ + scroll to zoom the map',
      'CooperativeGesturesHandler.MobileHelpText': 'Use two fingers to move the map',
      'CooperativeGesturesHandler.WindowsHelpText': 'Use Ctrl + scroll to zoom the map',
      'GeolocateControl.FindMyLocation': 'Find my location',
      'GeolocateControl.LocationNotAvailable': 'Your location is not available',
      'Map.Title': 'Map',
      'Marker.Title': 'Marked issue',
      'NavigationControl.ZoomIn': 'Zoom in',
      'NavigationControl.ZoomOut': 'Zoom out',
    },
  },
  es: {
    title: 'Mapa de reportes',
    description: 'Mira qué está roto en tu ciudad y qué se está haciendo al respecto.',
    heading: '¿Qué está roto aquí?',
    map: 'Mapa de reportes. La lista contigua contiene los mismos reportes.',
    reportHere: 'Reportar un problema',
    filters: 'Búsqueda y filtros',
    words: 'Buscar en los reportes',
    status: 'Estado',
    kind: 'Tipo de problema',
    everyKind: 'Todos los tipos',
    from: 'Enviado desde',
    until: 'antes de',
    assignee: 'Asignados a',
    anyAssignee: 'Todos los reportes',
    assignedToMe: 'Mí',
    notAssigned: 'Nadie',
    apply: 'Aplicar',
    reset: 'Quitar todos los filtros',
    places: 'Lugares',
    allPlaces: 'Buscar otro lugar',
    everywhere: 'En todas partes',
    issues: '{count, plural, one {# reporte} other {# reportes}}',
    empty: 'Ningún reporte de esta vista coincide con los filtros.',
    emptyUnfiltered: 'Todavía no hay reportes aquí. Aleja o mueve el mapa para ver otros.',
    showAll: 'Mostrar todos los reportes de aquí',
    feed: 'Seguir esta lista en un lector de noticias',
    noPlaces: html`Todavía no hay lugares. Llena el servicio desde su carpeta y vuelve a cargar esta página:`,
    failed: {
      map: 'No se pudo cargar una parte del mapa. Comprueba tu conexión y después mueve el mapa.',
      list: 'No se pudo cargar la lista. Comprueba tu conexión y después mueve el mapa.',
    },
    drawn: 'Mapa dibujado de los reportes',
    controls: {
      'AttributionControl.ToggleAttribution': 'Mostrar u ocultar las fuentes del mapa',
      'CooperativeGesturesHandler.MacHelpText': 'Usa ⌘ + desplazamiento para acercar o alejar el mapa',
      'CooperativeGesturesHandler.MobileHelpText': 'Usa dos dedos para mover el mapa',
      'CooperativeGesturesHandler.WindowsHelpText': 'Usa Ctrl + desplazamiento para acercar o alejar el mapa',
      'GeolocateControl.FindMyLocation': 'Encontrar mi ubicación',
      'GeolocateControl.LocationNotAvailable': 'Tu ubicación no está disponible',
      'Map.Title': 'Mapa',
      'Marker.Title': 'Reporte marcado',
      'NavigationControl.ZoomIn': 'Acercar',
      'NavigationControl.ZoomOut': 'Alejar',
    },
  },
  fr: {
    title: 'Carte des signalements',
    description: 'Voyez ce qui est cassé dans votre ville et ce qui est fait pour y remédier.',
    heading: 'Qu’est-ce qui est cassé ici ?',
    map: 'Carte des signalements. La liste à côté contient les mêmes signalements.',
    reportHere: 'Signaler un problème',
    filters: 'Recherche et filtres',
    words: 'Chercher dans les signalements',
    status: 'État',
    kind: 'Type de problème',
    everyKind: 'Tous les types',
    from: 'Signalé à partir du',
    until: 'avant le',
    assignee: 'Attribués à',
    anyAssignee: 'Tous les signalements',
    assignedToMe: 'Moi',
    notAssigned: 'Personne',
    apply: 'Appliquer',
    reset: 'Enlever tous les filtres',
    places: 'Lieux',
    allPlaces: 'Trouver un autre lieu',
    everywhere: 'Partout',
    issues: '{count, plural, one {# signalement} other {# signalements}}',
    empty: 'Aucun signalement de cette vue ne correspond aux filtres.',
    emptyUnfiltered: 'Pas encore de signalement ici. Dézoomez ou déplacez la carte pour en voir d’autres.',
    showAll: 'Afficher tous les signalements d’ici',
    feed: 'Suivre cette liste dans un lecteur de flux',
    noPlaces: html`Il n’y a pas encore de lieux. Remplissez le service depuis son dossier, puis rechargez cette page :`,
    failed: {
      map: 'Une partie de la carte n’a pas pu être chargée. Vérifiez votre connexion, puis déplacez la carte.',
      list: 'La liste n’a pas pu être chargée. Vérifiez votre connexion, puis déplacez la carte.',
    },
    drawn: 'Carte dessinée des signalements',
    controls: {
      'AttributionControl.ToggleAttribution': 'Afficher ou masquer les sources de la carte',
      'CooperativeGesturesHandler.MacHelpText': 'Utilisez ⌘ + défilement pour zoomer sur la carte',
      'CooperativeGesturesHandler.MobileHelpText': 'Utilisez deux doigts pour déplacer la carte',
      'CooperativeGesturesHandler.WindowsHelpText': 'Utilisez Ctrl + défilement pour zoomer sur la carte',
      'GeolocateControl.FindMyLocation': 'Trouver ma position',
      'GeolocateControl.LocationNotAvailable': 'Votre position n’est pas disponible',
      'Map.Title': 'Carte',
      'Marker.Title': 'Signalement marqué',
      'NavigationControl.ZoomIn': 'Zoom avant',
      'NavigationControl.ZoomOut': 'Zoom arrière',
    },
  },
}
