import { type Language, textsIn } from '../../locales/texts.ts'
import { html, type SafeHtml } from '../../html/template.ts'

/** The handle of the sheet that has the list on a phone. Only a script can move the sheet, so the script shows the button. */
export function sheetButton(language: Language): SafeHtml {
  const texts = textsIn(language)
  return html`<button class="sheet-handle" type="button" data-sheet data-collapse="${texts('sheet.collapse')}" aria-expanded="false" aria-controls="map-panel" hidden><span>${texts('sheet.expand')}</span></button>`
}
