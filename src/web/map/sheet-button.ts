import type { Language } from '../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../html/template.ts'

const sheetTexts: Readonly<Record<Language, { readonly expand: string; readonly collapse: string }>> = {
  en: { expand: 'Show more of the list', collapse: 'Show more of the map' },
  es: { expand: 'Mostrar más de la lista', collapse: 'Mostrar más del mapa' },
  fr: { expand: 'Afficher plus de la liste', collapse: 'Afficher plus de la carte' },
}

/** The handle of the sheet that has the list on a phone. Only a script can move the sheet, so the script shows the button. */
export function sheetButton(language: Language): SafeHtml {
  const { expand, collapse } = sheetTexts[language]
  return html`<button class="sheet-handle" type="button" data-sheet data-collapse="${collapse}" aria-expanded="false" aria-controls="map-panel" hidden><span>${expand}</span></button>`
}
