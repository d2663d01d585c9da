import { type Language, textsIn } from '../../locales/texts.ts'
import { html, type SafeHtml } from '../../html/template.ts'

/** A section that a script shows, because only a script stores what is typed. The link leads to the form of another report. */
export function deviceDraftSection(step: 'point' | 'form', language: Language): SafeHtml {
  const texts = textsIn(language)
  const first = step === 'form' ? texts('deviceDraft.kept') : ''
  return html`<div class="note" data-device-draft data-kept="${texts('deviceDraft.kept')}" data-restored="${texts('deviceDraft.restored')}" data-waiting="${texts('deviceDraft.waiting')}" data-discarded="${texts('deviceDraft.discarded')}" hidden>
        <p role="status">${first}</p>
        <p><a href="" data-continue hidden>${texts('deviceDraft.proceed')}</a> <button class="second" type="button" data-discard hidden>${texts('deviceDraft.discard')}</button></p>
      </div>`
}
