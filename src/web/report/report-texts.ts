import type { Language } from '../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { RequestTypeQuestion } from '../../request-types/schema.ts'

export interface ReportTexts {
  readonly title: string
  readonly titleIn: (title: string, place: string) => string
  readonly titleOfType: (type: string) => string
  readonly description: (place: string | undefined) => string
  readonly places: string
  readonly where: string
  readonly useLocation: string
  readonly locating: string
  readonly notLocated: string
  readonly latitude: string
  readonly latitudeHint: string
  readonly longitude: string
  readonly longitudeHint: string
  readonly coordinatesHint: string
  readonly continue: string
  readonly what: string
  /** The point is outside of all places and of the areas of all organisations. */
  readonly outsideOfAll: string
  readonly typeIsGone: string
  readonly community: string
  readonly communityHint: string
  readonly typesHere: string
  readonly typesHereHint: (place: string) => string
  readonly apiHint: (reference: (text: string) => SafeHtml) => SafeHtml
  readonly noQuestions: string
  readonly required: string
  readonly optional: string
  readonly privateAnswer: string
  readonly questionTypes: Readonly<Record<RequestTypeQuestion['question_type'], string>>
  readonly duplicates: string
  readonly duplicatesHint: string
  readonly noDuplicate: string
  readonly privateAnswerHint: string
  readonly yes: string
  readonly no: string
  readonly timeZone: string
  readonly address: string
  readonly addressHint: string
  readonly anonymous: string
  readonly anonymousHint: (organization: string | null) => string
  readonly send: string
}

export const reportTexts: Readonly<Record<Language, ReportTexts>> = {
  en: {
    title: 'Report a problem',
    titleIn: (title, place) => `${title} in ${place}`,
    titleOfType: (type) => `Report: ${type}`,
    description: (place) => `Report what is broken${place ? ` in ${place}` : ''}: say where it is and what is wrong.`,
    places: 'Places',
    where: 'Where is it?',
    useLocation: 'Use my location',
    locating: 'Locating …',
    notLocated: 'Your device did not share its location: choose the spot on the map.',
    latitude: 'Latitude',
    latitudeHint: 'From -90 to 90, north is positive.',
    longitude: 'Longitude',
    longitudeHint: 'From -180 to 180, east is positive.',
    coordinatesHint: 'Map apps show both numbers when you press and hold a spot.',
    continue: 'Continue',
    what: 'What is it? These types can be reported at this spot.',
    outsideOfAll: 'No place of this service covers this point, so your report reaches no organisation.',
    typeIsGone: 'This type is no longer available: choose another one.',
    community: 'The community',
    communityHint: 'No organisation is responsible for these. Anyone can see and solve them.',
    typesHere: 'What can be reported here',
    typesHereHint: (place) =>
      `These types apply at the centre of ${place}; other organisations may be responsible elsewhere. Open a type to see its questions.`,
    apiHint: (reference) => html`Programs report through the API: see ${reference('its reference')}.`,
    noQuestions: 'It has no questions.',
    required: 'required',
    optional: 'optional',
    privateAnswer: 'only the organisation sees the answer',
    questionTypes: {
      text: 'a short text',
      textarea: 'a text',
      select: 'one of these',
      multivaluelist: 'one or more of these',
      number: 'a number',
      datetime: 'a date and time',
      boolean: 'yes or no',
      note: 'a note to read',
      file: 'a picture',
    },
    duplicates: 'Is it one of these?',
    duplicatesHint: 'It may have been reported already. If so, you need not report it again.',
    noDuplicate: 'If not, describe it',
    privateAnswerHint: 'Only the organisation sees your answer.',
    yes: 'Yes',
    no: 'No',
    timeZone: 'In which time zone?',
    address: 'Address or description of the place',
    addressHint: 'A street and number, a crossing, or something next to it.',
    anonymous: 'Report without my name',
    anonymousHint: (organization) =>
      organization === null ? 'No one sees who reported it.' : `Only staff of ${organization} see who reported it.`,
    send: 'Send the report',
  },
  es: {
    title: 'Reportar un problema',
    titleIn: (title, place) => `${title} en ${place}`,
    titleOfType: (type) => `Reporte: ${type}`,
    description: (place) => `Reporta lo que está roto${place ? ` en ${place}` : ''}: di dónde está y cuál es el problema.`,
    places: 'Lugares',
    where: '¿Dónde está?',
    useLocation: 'Usar mi ubicación',
    locating: 'Buscando tu ubicación…',
    notLocated: 'Tu dispositivo no ha compartido su ubicación: elige el punto en el mapa.',
    latitude: 'Latitud',
    latitudeHint: 'De -90 a 90; el norte es positivo.',
    longitude: 'Longitud',
    longitudeHint: 'De -180 a 180; el este es positivo.',
    coordinatesHint: 'Las aplicaciones de mapas muestran los dos números al mantener pulsado un punto.',
    continue: 'Continuar',
    what: '¿Qué es? Esto es lo que se puede reportar en este punto.',
    outsideOfAll: 'Ningún lugar de este servicio abarca este punto, así que tu reporte no llega a ninguna organización.',
    typeIsGone: 'Este tipo ya no está disponible: elige otro.',
    community: 'La comunidad',
    communityHint: 'Ninguna organización se ocupa de estos problemas. Cualquiera puede verlos y resolverlos.',
    typesHere: 'Qué se puede reportar aquí',
    typesHereHint: (place) =>
      `Estos tipos valen para el centro de ${place}; en otros puntos pueden ocuparse otras organizaciones. Abre un tipo para ver sus preguntas.`,
    apiHint: (reference) => html`Los programas envían sus reportes por la API: consulta ${reference('su referencia')}.`,
    noQuestions: 'No tiene preguntas.',
    required: 'obligatorio',
    optional: 'opcional',
    privateAnswer: 'solo la organización ve la respuesta',
    questionTypes: {
      text: 'un texto corto',
      textarea: 'un texto',
      select: 'una de estas opciones',
      multivaluelist: 'una o varias de estas opciones',
      number: 'un número',
      datetime: 'una fecha y una hora',
      boolean: 'sí o no',
      note: 'una nota para leer',
      file: 'una imagen',
    },
    duplicates: '¿Es uno de estos?',
    duplicatesHint: 'Puede que ya esté reportado. En ese caso no hace falta que lo reportes otra vez.',
    noDuplicate: 'Si no, descríbelo',
    privateAnswerHint: 'Solo la organización ve tu respuesta.',
    yes: 'Sí',
    no: 'No',
    timeZone: '¿En qué zona horaria?',
    address: 'Dirección o descripción del lugar',
    addressHint: 'Una calle y un número, un cruce o algo que haya al lado.',
    anonymous: 'Reportar sin mi nombre',
    anonymousHint: (organization) =>
      organization === null ? 'Nadie ve quién lo ha reportado.' : `Solo el personal de ${organization} ve quién lo ha reportado.`,
    send: 'Enviar el reporte',
  },
  fr: {
    title: 'Signaler un problème',
    titleIn: (title, place) => `${title} à ${place}`,
    titleOfType: (type) => `Signalement : ${type}`,
    description: (place) => `Signalez ce qui est cassé${place ? ` à ${place}` : ''} : dites où c’est et ce qui ne va pas.`,
    places: 'Lieux',
    where: 'Où est-ce ?',
    useLocation: 'Utiliser ma position',
    locating: 'Recherche de votre position…',
    notLocated: 'Votre appareil n’a pas partagé sa position : choisissez l’endroit sur la carte.',
    latitude: 'Latitude',
    latitudeHint: 'De -90 à 90 ; le nord est positif.',
    longitude: 'Longitude',
    longitudeHint: 'De -180 à 180 ; l’est est positif.',
    coordinatesHint: 'Les applications de cartes affichent les deux nombres quand vous appuyez longuement sur un point.',
    continue: 'Continuer',
    what: 'De quoi s’agit-il ? Voici ce que l’on peut signaler à cet endroit.',
    outsideOfAll: 'Aucun lieu de ce service ne couvre ce point : votre signalement ne parvient à aucune organisation.',
    typeIsGone: 'Ce type n’est plus disponible : choisissez-en un autre.',
    community: 'La communauté',
    communityHint: 'Aucune organisation ne s’occupe de ces problèmes. Tout le monde peut les voir et les résoudre.',
    typesHere: 'Ce que l’on peut signaler ici',
    typesHereHint: (place) =>
      `Ces types valent pour le centre de ${place} ; ailleurs, d’autres organisations peuvent s’en occuper. Ouvrez un type pour voir ses questions.`,
    apiHint: (reference) => html`Les programmes envoient leurs signalements par l’API : consultez ${reference('sa référence')}.`,
    noQuestions: 'Il n’y a pas de questions.',
    required: 'obligatoire',
    optional: 'facultatif',
    privateAnswer: 'seule l’organisation voit la réponse',
    questionTypes: {
      text: 'un texte court',
      textarea: 'un texte',
      select: 'l’un de ces choix',
      multivaluelist: 'un ou plusieurs de ces choix',
      number: 'un nombre',
      datetime: 'une date et une heure',
      boolean: 'oui ou non',
      note: 'une note à lire',
      file: 'une image',
    },
    duplicates: 'Est-ce l’un de ceux-ci ?',
    duplicatesHint: 'Le problème est peut-être déjà signalé. Dans ce cas, inutile de le signaler de nouveau.',
    noDuplicate: 'Sinon, décrivez-le',
    privateAnswerHint: 'Seule l’organisation voit votre réponse.',
    yes: 'Oui',
    no: 'Non',
    timeZone: 'Dans quel fuseau horaire ?',
    address: 'Adresse ou description du lieu',
    addressHint: 'Une rue et un numéro, un carrefour ou un repère à proximité.',
    anonymous: 'Signaler sans mon nom',
    anonymousHint: (organization) =>
      organization === null
        ? 'Personne ne voit qui a fait le signalement.'
        : `Seul le personnel de ${organization} voit qui a fait le signalement.`,
    send: 'Envoyer le signalement',
  },
}
