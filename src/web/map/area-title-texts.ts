import type { Language } from '../../errors/texts/languages.ts'

export interface AreaTitleTexts {
  readonly aroundPoint: (distance: string) => string
  readonly place: string
  readonly box: string
  readonly polygon: string
  readonly kinds: {
    readonly place: (name: string) => string
    readonly somePlace: string
    readonly circle: (distance: string) => string
    readonly box: string
    readonly polygon: string
  }
}

export const areaTitleTexts: Readonly<Record<Language, AreaTitleTexts>> = {
  en: {
    aroundPoint: (distance) => `${distance} around a point`,
    place: 'A place',
    box: 'A box on the map',
    polygon: 'A polygon',
    kinds: {
      place: (name) => `All of ${name}`,
      somePlace: 'All of a place',
      circle: (distance) => `A circle of ${distance}`,
      box: 'A box',
      polygon: 'A polygon',
    },
  },
  es: {
    aroundPoint: (distance) => `${distance} alrededor de un punto`,
    place: 'Un lugar',
    box: 'Un rectángulo en el mapa',
    polygon: 'Un polígono',
    kinds: {
      place: (name) => `${name}, todo el territorio`,
      somePlace: 'Un lugar entero',
      circle: (distance) => `Un círculo de ${distance}`,
      box: 'Un rectángulo',
      polygon: 'Un polígono',
    },
  },
  fr: {
    aroundPoint: (distance) => `${distance} autour d’un point`,
    place: 'Un lieu',
    box: 'Un rectangle sur la carte',
    polygon: 'Un polygone',
    kinds: {
      place: (name) => `${name}, tout le territoire`,
      somePlace: 'Un lieu entier',
      circle: (distance) => `Un cercle de ${distance}`,
      box: 'Un rectangle',
      polygon: 'Un polygone',
    },
  },
}
