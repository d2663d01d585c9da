import type { Language } from '../../errors/texts/languages.ts'

/** Texts of the pictures of a report. A script shows those after `usePlace`. */
export interface PhotoTexts {
  readonly heading: string
  readonly hint: string
  readonly choose: string
  readonly take: string
  readonly usePlace: string
  readonly remove: string
  readonly placeFound: string
  readonly noPlace: string
  readonly attached: string
  /** The script of the form attaches the pictures; the text stands there until it is loaded. */
  readonly notYetAttached: string
  readonly tooMany: (max: number) => string
  /** The start of a report is another page than its form. */
  readonly notStoredAtStart: string
  readonly notStored: string
}

export const photoTexts: Readonly<Record<Language, PhotoTexts>> = {
  en: {
    heading: 'Start with a picture',
    hint: 'If it has a location, this device reads it and you can use it. The picture is sent with the report, without its location.',
    choose: 'Choose pictures',
    take: 'Take a picture',
    usePlace: 'Use the location of the picture',
    remove: 'Remove',
    placeFound: 'The picture has a location.',
    noPlace: 'The picture has no location: choose the spot on the map.',
    attached: 'The pictures that you chose before are attached.',
    notYetAttached: 'If you chose pictures before, wait until they are shown here, or choose them again.',
    tooMany: (max) => `A report takes up to ${max} pictures: the others were left out.`,
    notStoredAtStart: 'This browser cannot keep the picture: choose it again in the form.',
    notStored: 'This browser cannot keep the pictures: they are lost if you leave this page.',
  },
  es: {
    heading: 'Empieza con una foto',
    hint: 'Si tiene ubicación, este dispositivo la lee y puedes usarla. La foto se envía con el reporte, sin su ubicación.',
    choose: 'Elegir fotos',
    take: 'Tomar una foto',
    usePlace: 'Usar la ubicación de la foto',
    remove: 'Quitar',
    placeFound: 'La foto tiene ubicación.',
    noPlace: 'La foto no tiene ubicación: elige el punto en el mapa.',
    attached: 'Las fotos que elegiste antes están adjuntas.',
    notYetAttached: 'Si elegiste fotos antes, espera a que aparezcan aquí o elígelas otra vez.',
    tooMany: (max) => `Un reporte admite hasta ${max} fotos: las demás no se añadieron.`,
    notStoredAtStart: 'Este navegador no puede guardar la foto: elígela otra vez en el formulario.',
    notStored: 'Este navegador no puede guardar las fotos: se pierden si sales de esta página.',
  },
  fr: {
    heading: 'Commencez par une photo',
    hint: 'Si elle contient une position, cet appareil la lit et vous pouvez l’utiliser. La photo est envoyée avec le signalement, sans sa position.',
    choose: 'Choisir des photos',
    take: 'Prendre une photo',
    usePlace: 'Utiliser la position de la photo',
    remove: 'Retirer',
    placeFound: 'La photo contient une position.',
    noPlace: 'La photo ne contient pas de position : choisissez l’endroit sur la carte.',
    attached: 'Les photos que vous aviez choisies sont jointes.',
    notYetAttached: 'Si vous aviez choisi des photos, attendez qu’elles apparaissent ici, ou choisissez-les de nouveau.',
    tooMany: (max) => `Un signalement accepte jusqu’à ${max} photos : les autres n’ont pas été ajoutées.`,
    notStoredAtStart: 'Ce navigateur ne peut pas garder la photo : choisissez-la de nouveau dans le formulaire.',
    notStored: 'Ce navigateur ne peut pas garder les photos : elles sont perdues si vous quittez cette page.',
  },
}
