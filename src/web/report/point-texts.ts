import type { Language } from '../../errors/texts/languages.ts'
import type { SafeHtml } from '../../html/template.ts'
import { html } from '../../html/template.ts'

type Link = (text: string) => SafeHtml

/** Texts of the step that chooses the place of a report. Those of `script` are shown by the script of the map. */
export interface PointTexts {
  readonly map: string
  readonly more: string
  readonly inPlace: string
  readonly addressSearch: string
  readonly search: string
  readonly results: string
  readonly noResults: string
  readonly searchFailed: string
  readonly searchLimited: string
  readonly searchTooLong: (max: number) => string
  readonly outside: (place: string) => string
  readonly isInOther: (place: string, link: Link) => SafeHtml
  readonly reportAnyway: (link: Link) => SafeHtml
  readonly chooseAgain: (place: string, link: Link) => SafeHtml
  readonly pin: string
  readonly script: Readonly<Record<'click' | 'move' | 'zoomIn' | 'chosen' | 'chosenByCross' | 'missing', string>>
}

export const pointTexts: Readonly<Record<Language, PointTexts>> = {
  en: {
    map: 'Map to choose the spot. The arrow keys move it, plus and minus zoom, Enter takes its centre.',
    more: 'Enter coordinates',
    inPlace: 'Report in a place',
    addressSearch: 'Address or name of the spot',
    search: 'Search',
    results: 'Which one is it?',
    noResults: 'No address was found. Write it in another way, or choose the spot on the map.',
    searchFailed: 'The address search does not answer now. Choose the spot on the map.',
    searchLimited: 'You have searched often in a short time. Wait a minute, or choose the spot on the map.',
    searchTooLong: (max) => `Use at most ${max} characters.`,
    outside: (place) => `This spot is not in ${place}.`,
    isInOther: (place, link) => html`It is in ${place}: ${link(`report it in ${place}`)}.`,
    reportAnyway: (link) =>
      html`You can also ${link('report it here without a place')}: the organisations of that spot receive it.`,
    chooseAgain: (place, link) => html`Or ${link(`choose another spot in ${place}`)}.`,
    pin: 'Chosen spot',
    script: {
      click: 'Click the spot on the map. By keyboard: move the map with the arrow keys, then press Enter.',
      move: 'Move the map until the cross is on the spot, or tap the spot.',
      zoomIn: 'Zoom in further to choose the exact spot.',
      chosen: 'Spot chosen. Continue, or click another one; you can also drag the pin.',
      chosenByCross: 'The spot under the cross is chosen. Continue, or move the map or tap another spot.',
      missing: 'Choose the spot on the map first.',
    },
  },
  es: {
    map: 'Mapa para elegir el punto. Las flechas lo mueven, más y menos cambian la escala, Entrar toma el centro.',
    more: 'Escribir las coordenadas',
    inPlace: 'Reportar en un lugar',
    addressSearch: 'Dirección o nombre del punto',
    search: 'Buscar',
    results: '¿Cuál es?',
    noResults: 'No se encontró ninguna dirección. Escríbela de otra manera o elige el punto en el mapa.',
    searchFailed: 'La búsqueda de direcciones no responde ahora. Elige el punto en el mapa.',
    searchLimited: 'Has buscado muchas veces en poco tiempo. Espera un minuto o elige el punto en el mapa.',
    searchTooLong: (max) => `Usa como máximo ${max} caracteres.`,
    outside: (place) => `Este punto no está en ${place}.`,
    isInOther: (place, link) => html`Está en ${place}: ${link(`repórtalo en ${place}`)}.`,
    reportAnyway: (link) =>
      html`También puedes ${link('reportarlo aquí sin elegir un lugar')}: lo reciben las organizaciones de ese punto.`,
    chooseAgain: (place, link) => html`O ${link(`elige otro punto en ${place}`)}.`,
    pin: 'Punto elegido',
    script: {
      click: 'Haz clic en el punto del mapa. Con el teclado: mueve el mapa con las flechas y pulsa Entrar.',
      move: 'Mueve el mapa hasta que la cruz esté en el punto o toca el punto.',
      zoomIn: 'Acerca más el mapa para elegir el punto exacto.',
      chosen: 'Punto elegido. Continúa o haz clic en otro; también puedes arrastrar el marcador.',
      chosenByCross: 'El punto bajo la cruz está elegido. Continúa, o mueve el mapa o toca otro punto.',
      missing: 'Primero elige el punto en el mapa.',
    },
  },
  fr: {
    map: 'Carte pour choisir l’endroit. Les flèches la déplacent, plus et moins changent l’échelle, Entrée prend le centre.',
    more: 'Saisir les coordonnées',
    inPlace: 'Signaler dans un lieu',
    addressSearch: 'Adresse ou nom de l’endroit',
    search: 'Rechercher',
    results: 'Laquelle est-ce ?',
    noResults: 'Aucune adresse trouvée. Écrivez-la autrement ou choisissez l’endroit sur la carte.',
    searchFailed: 'La recherche d’adresses ne répond pas actuellement. Choisissez l’endroit sur la carte.',
    searchLimited:
      'Vous avez fait beaucoup de recherches en peu de temps. Attendez une minute ou choisissez l’endroit sur la carte.',
    searchTooLong: (max) => `Utilisez au plus ${max} caractères.`,
    outside: (place) => `Cet endroit n’est pas à ${place}.`,
    isInOther: (place, link) => html`Il se trouve à ${place} : ${link(`signalez-le à ${place}`)}.`,
    reportAnyway: (link) =>
      html`Vous pouvez aussi ${link('le signaler ici sans choisir de lieu')} : les organisations de cet endroit le reçoivent.`,
    chooseAgain: (place, link) => html`Ou ${link(`choisissez un autre endroit à ${place}`)}.`,
    pin: 'Endroit choisi',
    script: {
      click: 'Cliquez sur l’endroit. Au clavier : déplacez la carte avec les flèches, puis appuyez sur Entrée.',
      move: 'Déplacez la carte jusqu’à ce que la croix soit sur l’endroit, ou touchez l’endroit.',
      zoomIn: 'Agrandissez encore la carte pour choisir l’endroit exact.',
      chosen: 'Endroit choisi. Continuez ou cliquez ailleurs ; vous pouvez aussi déplacer le repère.',
      chosenByCross: 'L’endroit sous la croix est choisi. Continuez, ou déplacez la carte ou touchez un autre endroit.',
      missing: 'Choisissez d’abord l’endroit sur la carte.',
    },
  },
}
