import type { Language } from '../../../errors/texts/languages.ts'

export interface SpotTexts {
  readonly spot: string
  readonly map: string
}

export const spotTexts: Readonly<Record<Language, SpotTexts>> = {
  en: { spot: 'Chosen spot', map: 'Drawn map with a pin at the chosen spot' },
  es: { spot: 'Punto elegido', map: 'Mapa dibujado con un marcador en el punto elegido' },
  fr: { spot: 'Endroit choisi', map: 'Carte dessinée avec un repère à l’endroit choisi' },
}
