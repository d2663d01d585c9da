import type { Language } from '../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { deviceDraftTexts } from './upload-texts.ts'

/** A section that a script shows, because only a script stores what is typed. The link leads to the form of another report. */
export function deviceDraftSection(step: 'point' | 'form', language: Language): SafeHtml {
  const { kept, restored, waiting, discarded, proceed, discard } = deviceDraftTexts[language]
  const first = step === 'form' ? kept : ''
  return html`<div class="note" data-device-draft data-kept="${kept}" data-restored="${restored}" data-waiting="${waiting}" data-discarded="${discarded}" hidden>
        <p role="status">${first}</p>
        <p><a href="" data-continue hidden>${proceed}</a> <button class="second" type="button" data-discard hidden>${discard}</button></p>
      </div>`
}
