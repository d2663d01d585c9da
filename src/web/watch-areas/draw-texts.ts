import type { Language } from '../../errors/texts/languages.ts'
import type { DrawScriptTexts } from '../map/browser/watch-areas/draw-config.ts'

export interface DrawTexts {
  readonly map: string
  readonly tools: string
  readonly polygon: string
  readonly circle: string
  readonly view: string
  readonly addCorner: string
  readonly undo: string
  readonly close: string
  readonly clear: string
  readonly removeCorner: string
  readonly moveCentre: string
  readonly watchView: string
  readonly radius: string
  readonly places: string
  readonly allPlaces: string
  readonly more: string
  readonly geojson: string
  readonly geojsonHint: string
  readonly latitude: string
  readonly longitude: string
  readonly chosenPlace: (place: string) => string
  readonly chosenBox: string
  readonly choose: string
  readonly settings: string
  readonly save: string
  readonly editTitle: (area: string) => string
  readonly script: DrawScriptTexts
}

export const drawTexts: Readonly<Record<Language, DrawTexts>> = {
  en: {
    map: 'Map to draw an area. Arrow keys move it, Enter adds a corner or sets the centre under the cross.',
    tools: 'Shape of the area',
    polygon: 'Draw a shape',
    circle: 'Circle',
    view: 'What the map shows',
    addCorner: 'Add corner here',
    undo: 'Undo',
    close: 'Close the shape',
    clear: 'Delete the shape',
    removeCorner: 'Delete this corner',
    moveCentre: 'Set the centre here',
    watchView: 'Take what the map shows',
    radius: 'Radius',
    places: 'Or watch all of a place',
    allPlaces: 'All places',
    more: 'Enter the area as numbers or GeoJSON',
    geojson: 'Polygon as GeoJSON',
    geojsonHint: 'A Polygon or MultiPolygon of up to 10,000 positions. Leave it empty if you enter a point.',
    latitude: 'Latitude of the centre',
    longitude: 'Longitude of the centre',
    chosenPlace: (place) => `You have chosen all of ${place}.`,
    chosenBox: 'You have chosen a rectangle of the map.',
    choose: 'Enter the area as numbers or GeoJSON, or choose a place.',
    settings: 'Mails',
    save: 'Save',
    editTitle: (area) => `Edit ${area}`,
    script: {
      polygonByClick: 'Click the corners on the map. Click the first one again to close the shape.',
      polygonByCross: 'Move the map under the cross and add the corners one by one.',
      open: '{count} corners. Add at least three.',
      closable: '{count} corners. Close the shape or add more.',
      closed: 'The shape is complete, with {count} corners. Drag a corner to move it; click an edge to add one.',
      tooMany: 'This area has too many parts or corners to edit here. Delete it to draw a new one.',
      circleByClick: 'Click the centre of the circle, then choose its radius.',
      circleByCross: 'Move the map under the cross, then set the centre.',
      circle: 'A circle with a radius of {radius}.',
      viewReady: 'Move the map until it shows what you want to watch.',
      view: 'The rectangle on the map is chosen.',
      place: 'The outlined place is chosen.',
      corner: 'Corner {number} of {count}: arrow keys move it, Delete removes it',
      missing: 'Draw an area first, or choose a place.',
      forecastFailed: 'The forecast could not be loaded.',
    },
  },
  es: {
    map: 'Mapa para dibujar una zona. Las flechas lo mueven; Intro añade una esquina o fija el centro bajo la cruz.',
    tools: 'Forma de la zona',
    polygon: 'Dibujar una forma',
    circle: 'Círculo',
    view: 'Lo que muestra el mapa',
    addCorner: 'Añadir una esquina aquí',
    undo: 'Deshacer',
    close: 'Cerrar la forma',
    clear: 'Borrar la forma',
    removeCorner: 'Borrar esta esquina',
    moveCentre: 'Fijar el centro aquí',
    watchView: 'Tomar lo que muestra el mapa',
    radius: 'Radio',
    places: 'O vigila un lugar entero',
    allPlaces: 'Todos los lugares',
    more: 'Introducir la zona con números o GeoJSON',
    geojson: 'Polígono en GeoJSON',
    geojsonHint: 'Un Polygon o MultiPolygon de hasta 10.000 posiciones. Déjalo vacío si introduces un punto.',
    latitude: 'Latitud del centro',
    longitude: 'Longitud del centro',
    chosenPlace: (place) => `Has elegido el lugar entero: ${place}.`,
    chosenBox: 'Has elegido un rectángulo del mapa.',
    choose: 'Introduce la zona con números o GeoJSON, o elige un lugar.',
    settings: 'Correos',
    save: 'Guardar',
    editTitle: (area) => `Editar ${area}`,
    script: {
      polygonByClick: 'Haz clic en las esquinas sobre el mapa. Haz clic de nuevo en la primera para cerrar la forma.',
      polygonByCross: 'Mueve el mapa bajo la cruz y añade las esquinas una por una.',
      open: '{count} esquinas. Añade al menos tres.',
      closable: '{count} esquinas. Cierra la forma o añade más.',
      closed:
        'La forma está completa, con {count} esquinas. Arrastra una esquina para moverla; haz clic en un borde para añadir otra.',
      tooMany: 'Esta zona tiene demasiadas partes o esquinas para editarla aquí. Bórrala para dibujar una nueva.',
      circleByClick: 'Haz clic en el centro del círculo y elige su radio.',
      circleByCross: 'Mueve el mapa bajo la cruz y fija el centro.',
      circle: 'Un círculo con un radio de {radius}.',
      viewReady: 'Mueve el mapa hasta que muestre lo que quieres vigilar.',
      view: 'El rectángulo del mapa está elegido.',
      place: 'El lugar delineado está elegido.',
      corner: 'Esquina {number} de {count}: las flechas la mueven, Supr la borra',
      missing: 'Primero dibuja una zona o elige un lugar.',
      forecastFailed: 'No se pudo cargar el pronóstico.',
    },
  },
  fr: {
    map: 'Carte pour dessiner une zone. Les flèches la déplacent ; Entrée ajoute un sommet ou fixe le centre sous la croix.',
    tools: 'Forme de la zone',
    polygon: 'Dessiner une forme',
    circle: 'Cercle',
    view: 'Ce que montre la carte',
    addCorner: 'Ajouter un sommet ici',
    undo: 'Annuler',
    close: 'Fermer la forme',
    clear: 'Supprimer la forme',
    removeCorner: 'Supprimer ce sommet',
    moveCentre: 'Fixer le centre ici',
    watchView: 'Prendre ce que montre la carte',
    radius: 'Rayon',
    places: 'Ou surveillez un lieu entier',
    allPlaces: 'Tous les lieux',
    more: 'Saisir la zone en nombres ou en GeoJSON',
    geojson: 'Polygone en GeoJSON',
    geojsonHint: 'Un Polygon ou MultiPolygon de 10 000 positions au plus. Laissez ce champ vide si vous saisissez un point.',
    latitude: 'Latitude du centre',
    longitude: 'Longitude du centre',
    chosenPlace: (place) => `Vous avez choisi un lieu entier : ${place}.`,
    chosenBox: 'Vous avez choisi un rectangle de la carte.',
    choose: 'Saisissez la zone en nombres ou en GeoJSON, ou choisissez un lieu.',
    settings: 'Courriels',
    save: 'Enregistrer',
    editTitle: (area) => `Modifier ${area}`,
    script: {
      polygonByClick: 'Cliquez sur les sommets sur la carte. Cliquez de nouveau sur le premier pour fermer la forme.',
      polygonByCross: 'Déplacez la carte sous la croix et ajoutez les sommets un par un.',
      open: '{count} sommets. Ajoutez-en au moins trois.',
      closable: '{count} sommets. Fermez la forme ou ajoutez-en d’autres.',
      closed:
        'La forme est complète, avec {count} sommets. Faites glisser un sommet pour le déplacer ; cliquez sur un bord pour en ajouter un.',
      tooMany: 'Cette zone a trop de parties ou de sommets pour être modifiée ici. Supprimez-la pour en dessiner une autre.',
      circleByClick: 'Cliquez sur le centre du cercle, puis choisissez son rayon.',
      circleByCross: 'Déplacez la carte sous la croix, puis fixez le centre.',
      circle: 'Un cercle d’un rayon de {radius}.',
      viewReady: 'Déplacez la carte jusqu’à ce qu’elle montre ce que vous voulez surveiller.',
      view: 'Le rectangle de la carte est choisi.',
      place: 'Le lieu délimité est choisi.',
      corner: 'Sommet {number} sur {count} : les flèches le déplacent, Suppr le supprime',
      missing: 'Dessinez d’abord une zone, ou choisissez un lieu.',
      forecastFailed: 'La prévision n’a pas pu être chargée.',
    },
  },
}
