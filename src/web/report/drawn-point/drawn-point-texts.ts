import type { Language } from '../../../errors/texts/languages.ts'
import type { Move } from './drawn-view.ts'

/** Texts of the drawn map on which a point is chosen without scripts or WebGL. */
export interface DrawnPointTexts {
  readonly map: string
  readonly hint: string
  readonly image: string
  readonly controls: string
  readonly moves: Readonly<Record<Move, string>>
  readonly useCentre: string
  readonly thisIsIt: string
  readonly chosen: string
  readonly zoomIn: string
}

export const drawnPointTexts: Readonly<Record<Language, DrawnPointTexts>> = {
  en: {
    map: 'Drawn map to choose the spot',
    hint: 'Click the spot on the map, or move its cross with the buttons.',
    image: 'Drawn map. A click chooses the spot, Enter takes the centre.',
    controls: 'Move the map',
    moves: {
      in: 'Zoom in',
      out: 'Zoom out',
      north: 'Move north',
      south: 'Move south',
      west: 'Move west',
      east: 'Move east',
    },
    useCentre: 'Use the centre',
    thisIsIt: 'This is the place',
    chosen: 'Spot chosen. If the pin is right, continue; or click another spot.',
    zoomIn: 'The map is too small to choose a street: click the spot again, or zoom in.',
  },
  es: {
    map: 'Mapa dibujado para elegir el punto',
    hint: 'Haz clic en el punto del mapa o mueve su cruz con los botones.',
    image: 'Mapa dibujado. Un clic elige el punto, Entrar toma el centro.',
    controls: 'Mover el mapa',
    moves: {
      in: 'Acercar',
      out: 'Alejar',
      north: 'Mover al norte',
      south: 'Mover al sur',
      west: 'Mover al oeste',
      east: 'Mover al este',
    },
    useCentre: 'Usar el centro',
    thisIsIt: 'Este es el lugar',
    chosen: 'Punto elegido. Si el marcador está bien, continúa; o haz clic en otro punto.',
    zoomIn: 'El mapa es demasiado pequeño para elegir una calle: haz clic otra vez en el punto o acerca el mapa.',
  },
  fr: {
    map: 'Carte dessinée pour choisir l’endroit',
    hint: 'Cliquez sur l’endroit de la carte ou déplacez sa croix avec les boutons.',
    image: 'Carte dessinée. Un clic choisit l’endroit, Entrée prend le centre.',
    controls: 'Déplacer la carte',
    moves: {
      in: 'Agrandir',
      out: 'Réduire',
      north: 'Aller au nord',
      south: 'Aller au sud',
      west: 'Aller à l’ouest',
      east: 'Aller à l’est',
    },
    useCentre: 'Utiliser le centre',
    thisIsIt: 'C’est ici',
    chosen: 'Endroit choisi. Si le repère est bien placé, continuez ; ou cliquez sur un autre endroit.',
    zoomIn: 'La carte est trop petite pour choisir une rue : cliquez de nouveau sur l’endroit ou agrandissez-la.',
  },
}
