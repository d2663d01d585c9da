import type { Language } from '../../../errors/texts/languages.ts'

export interface SpotTexts {
  readonly spot: string
  readonly map: string
  readonly change: string
}

export const spotTexts: Readonly<Record<Language, SpotTexts>> = {
  en: { spot: 'Chosen spot', map: 'Drawn map with a pin at the chosen spot', change: 'Choose another spot' },
  es: { spot: 'Punto elegido', map: 'Mapa dibujado con un marcador en el punto elegido', change: 'Elegir otro punto' },
  fr: { spot: 'Endroit choisi', map: 'Carte dessinée avec un repère à l’endroit choisi', change: 'Choisir un autre point' },
}
