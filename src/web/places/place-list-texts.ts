import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type Link = (text: string) => SafeHtml

export interface PlaceListTexts {
  readonly title: string
  readonly description: string
  readonly titleNearPoint: string
  readonly titleNamed: (search: string) => string
  readonly near: (lat: number, lng: number) => string
  readonly search: string
  readonly searchButton: string
  /** An ICU message. */
  readonly places: string
  /** An ICU message. */
  readonly placesNamed: string
  readonly citiesFirst: string
  readonly nearestFirst: string
  readonly emptyPage: (home: Link) => SafeHtml
  readonly notFound: (all: Link) => SafeHtml
}

export const placeListTexts: Readonly<Record<Language, PlaceListTexts>> = {
  en: {
    title: 'Places',
    description: 'All the cities, counties and states whose issues can be read here.',
    titleNearPoint: 'Places near a point',
    titleNamed: (search) => `Places named “${search}”`,
    near: (lat, lng) => `Places near ${lat}, ${lng}`,
    search: 'Find a place by its name',
    searchButton: 'Search',
    places: '{count, plural, one {# place} other {# places}}',
    placesNamed: '{count, plural, one {# place} other {# places}} with “{search}” in the name',
    citiesFirst: 'Cities first, by name.',
    nearestFirst:
      'Nearest first: the places that contain the point, the smallest of them first, then the others by their distance.',
    emptyPage: (home) => html`There is nothing on this page. ${home('What to do next')}`,
    notFound: (all) => html`No place has that in its name. Try a shorter part of it, or see ${all('all places')}.`,
  },
  es: {
    title: 'Lugares',
    description: 'Todas las ciudades, los condados y los estados cuyos reportes se pueden leer aquí.',
    titleNearPoint: 'Lugares cerca de un punto',
    titleNamed: (search) => `Lugares llamados «${search}»`,
    near: (lat, lng) => `Lugares cerca de ${lat}, ${lng}`,
    search: 'Buscar un lugar por su nombre',
    searchButton: 'Buscar',
    places: '{count, plural, one {# lugar} other {# lugares}}',
    placesNamed: '{count, plural, one {# lugar} other {# lugares}} con «{search}» en el nombre',
    citiesFirst: 'Primero las ciudades, por nombre.',
    nearestFirst:
      'Primero los más cercanos: los lugares que contienen el punto, del más pequeño al más grande, y después los demás por distancia.',
    emptyPage: (home) => html`No hay nada en esta página. ${home('Qué hacer ahora')}`,
    notFound: (all) =>
      html`Ningún lugar tiene eso en su nombre. Prueba con una parte más corta, o mira ${all('todos los lugares')}.`,
  },
  fr: {
    title: 'Lieux',
    description: 'Toutes les villes, tous les comtés et tous les États dont on peut lire ici les signalements.',
    titleNearPoint: 'Lieux près d’un point',
    titleNamed: (search) => `Lieux nommés « ${search} »`,
    near: (lat, lng) => `Lieux près de ${lat}, ${lng}`,
    search: 'Chercher un lieu par son nom',
    searchButton: 'Chercher',
    places: '{count, plural, one {# lieu} other {# lieux}}',
    placesNamed: '{count, plural, one {# lieu} other {# lieux}} avec « {search} » dans le nom',
    citiesFirst: 'Les villes d’abord, par nom.',
    nearestFirst:
      'Les plus proches d’abord : les lieux qui contiennent le point, du plus petit au plus grand, puis les autres selon leur distance.',
    emptyPage: (home) => html`Il n’y a rien sur cette page. ${home('Que faire maintenant')}`,
    notFound: (all) => html`Aucun lieu n’a cela dans son nom. Essayez une partie plus courte, ou voyez ${all('tous les lieux')}.`,
  },
}
