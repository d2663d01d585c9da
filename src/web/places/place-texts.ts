import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type Link = (text: string) => SafeHtml

export interface PlaceTexts {
  readonly places: string
  /** An ICU message. */
  readonly description: string
  readonly feed: (place: string) => string
  /** An ICU message. */
  readonly map: string
  /** An ICU message. */
  readonly mapOfNewest: string
  readonly report: string
  readonly watch: (place: string, link: Link) => SafeHtml
  readonly questions: (place: string, link: Link) => SafeHtml
  readonly search: string
  readonly searchButton: string
  readonly searchExample: string
  readonly status: string
  readonly current: string
  /** An ICU message. */
  readonly issues: string
  readonly follow: (place: string) => string
  readonly withoutAccount: string
  readonly geojson: string
  readonly issuesJson: string
  readonly placeJson: string
  readonly emptyPage: (first: Link) => SafeHtml
  /** The end of the following sentences, with a space before it. */
  readonly words: (search: string) => string
  readonly noCurrent: (place: string, words: string) => string
  readonly noStatus: (statuses: string, place: string, words: string) => string
  readonly noneAtAll: (place: string, words: string) => string
  readonly wider: (all: Link, current: Link) => SafeHtml
  readonly otherWords: (current: Link) => SafeHtml
  readonly nothing: (place: string, archived: Link, report: Link) => SafeHtml
}

export const placeTexts: Readonly<Record<Language, PlaceTexts>> = {
  en: {
    places: 'Places',
    description:
      '{count, plural, one {# issue} other {# issues}} in {place}: potholes, street lights, waste and other reports of residents.',
    feed: (place) => `Issues in ${place}`,
    map: 'Map of {place} with {count, plural, one {# issue} other {# issues}} as coloured dots',
    mapOfNewest: 'Map of {place} with the newest {count, plural, one {# issue} other {# issues}} as coloured dots',
    report: 'Report a problem here',
    watch: (place, link) => html`${link(`Watch ${place}`)}: get mails about issues here`,
    questions: (place, link) => html`${link(`Questions about ${place}`)}, with answers of neighbours`,
    search: 'Search in summaries, descriptions and addresses',
    searchButton: 'Search',
    searchExample: 'pothole',
    status: 'Status',
    current: 'Current',
    issues: '{count, plural, one {# issue} other {# issues}}',
    follow: (place) => `Follow ${place} in a feed reader`,
    withoutAccount: 'without an account',
    geojson: 'as GeoJSON for a map',
    issuesJson: 'These issues as JSON',
    placeJson: 'The place as JSON',
    emptyPage: (first) => html`This page of the list is empty. ${first('Go to the first page')}`,
    words: (search) => ` with “${search}” in it`,
    noCurrent: (place, words) => `No current issue of ${place}${words}.`,
    noStatus: (statuses, place, words) => `No ${statuses} issue of ${place}${words}.`,
    noneAtAll: (place, words) => `No issue of ${place}${words}, not even an archived one.`,
    wider: (all, current) => html`${all('Search all issues, archived ones too')}, or ${current('see all current issues')}.`,
    otherWords: (current) => html`Try fewer or other words, or ${current('see all current issues')}.`,
    nothing: (place, archived, report) =>
      html`Nothing is reported in ${place} yet, or all of it is archived. ${archived('See the archived issues')}, or ${report('see what can be reported here')}.`,
  },
  es: {
    places: 'Lugares',
    description:
      '{count, plural, one {# reporte} other {# reportes}} en {place}: baches, farolas, basura y otros problemas que señalan los vecinos.',
    feed: (place) => `Reportes en ${place}`,
    map: 'Mapa de {place} con {count, plural, one {# reporte} other {# reportes}} como puntos de color',
    mapOfNewest:
      'Mapa de {place} con {count, plural, one {el reporte más reciente} other {los # reportes más recientes}} como puntos de color',
    report: 'Reportar un problema aquí',
    watch: (place, link) => html`${link(`Vigilar ${place}`)}: recibe correos sobre los reportes de aquí`,
    questions: (place, link) => html`${link(`Preguntas sobre ${place}`)}, con respuestas de los vecinos`,
    search: 'Buscar en resúmenes, descripciones y direcciones',
    searchButton: 'Buscar',
    searchExample: 'bache',
    status: 'Estado',
    current: 'Actuales',
    issues: '{count, plural, one {# reporte} other {# reportes}}',
    follow: (place) => `Seguir ${place} en un lector de noticias`,
    withoutAccount: 'sin cuenta',
    geojson: 'como GeoJSON para un mapa',
    issuesJson: 'Estos reportes como JSON',
    placeJson: 'El lugar como JSON',
    emptyPage: (first) => html`Esta página de la lista está vacía. ${first('Ir a la primera página')}`,
    words: (search) => ` que contenga «${search}»`,
    noCurrent: (place, words) => `No hay ningún reporte actual en ${place}${words}.`,
    noStatus: (statuses, place, words) => `No hay ningún reporte ${statuses} en ${place}${words}.`,
    noneAtAll: (place, words) => `No hay ningún reporte en ${place}${words}, ni siquiera archivado.`,
    wider: (all, current) =>
      html`${all('Busca en todos los reportes, también en los archivados')}, o ${current('mira todos los reportes actuales')}.`,
    otherWords: (current) => html`Prueba con menos palabras o con otras, o ${current('mira todos los reportes actuales')}.`,
    nothing: (place, archived, report) =>
      html`Todavía no hay ningún reporte en ${place}, o todos están archivados. ${archived('Mira los reportes archivados')}, o ${report('mira qué se puede reportar aquí')}.`,
  },
  fr: {
    places: 'Lieux',
    description:
      '{place} : {count, plural, one {# signalement} other {# signalements}} d’habitants sur des nids-de-poule, des lampadaires, des déchets et d’autres problèmes.',
    feed: (place) => `Signalements : ${place}`,
    map: 'Carte « {place} » avec {count, plural, one {# signalement} other {# signalements}} en points de couleur',
    mapOfNewest:
      'Carte « {place} » avec {count, plural, one {le signalement le plus récent} other {les # signalements les plus récents}} en points de couleur',
    report: 'Signaler un problème ici',
    watch: (place, link) => html`${link(`Surveiller ${place}`)} : recevez des courriels sur les signalements d’ici`,
    questions: (place, link) => html`${link(`Questions sur ${place}`)}, avec les réponses des habitants`,
    search: 'Chercher dans les résumés, les descriptions et les adresses',
    searchButton: 'Chercher',
    searchExample: 'nid-de-poule',
    status: 'État',
    current: 'Actuels',
    issues: '{count, plural, one {# signalement} other {# signalements}}',
    follow: (place) => `Suivre ${place} dans un lecteur de flux`,
    withoutAccount: 'sans compte',
    geojson: 'en GeoJSON pour une carte',
    issuesJson: 'Ces signalements en JSON',
    placeJson: 'Le lieu en JSON',
    emptyPage: (first) => html`Cette page de la liste est vide. ${first('Aller à la première page')}`,
    words: (search) => ` avec « ${search} »`,
    noCurrent: (place, words) => `Aucun signalement actuel à ${place}${words}.`,
    noStatus: (statuses, place, words) => `Aucun signalement ${statuses} à ${place}${words}.`,
    noneAtAll: (place, words) => `Aucun signalement à ${place}${words}, pas même archivé.`,
    wider: (all, current) =>
      html`${all('Cherchez dans tous les signalements, même archivés')}, ou ${current('voyez tous les signalements actuels')}.`,
    otherWords: (current) =>
      html`Essayez avec moins de mots ou avec d’autres, ou ${current('voyez tous les signalements actuels')}.`,
    nothing: (place, archived, report) =>
      html`Rien n’est encore signalé à ${place}, ou tout est archivé. ${archived('Voyez les signalements archivés')}, ou ${report('voyez ce qui peut être signalé ici')}.`,
  },
}
