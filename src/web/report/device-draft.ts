import type { Texts } from '../../locales/texts.ts'
import { html, type SafeHtml } from '../../html/template.ts'

/** A section that a script shows, because only a script stores what is typed. */
export function deviceDraftSection(texts: Texts): SafeHtml {
  return html`<div class="note" data-device-draft data-kept="${texts('deviceDraft.kept')}" data-restored="${texts('deviceDraft.restored')}" data-discarded="${texts('deviceDraft.discarded')}" hidden>
        <p role="status">${texts('deviceDraft.kept')}</p>
        <p><button class="second" type="button" data-discard hidden>${texts('deviceDraft.discard')}</button></p>
      </div>`
}

/** The reports that wait on the device, which a script adds to the list. */
export function waitingDraftsSection(texts: Texts): SafeHtml {
  const many = texts('deviceDraft.many', { count: '{count}' })
  return html`<div class="waiting" data-waiting-drafts data-one="${texts('deviceDraft.one')}" data-many="${many}" data-discarded="${texts('deviceDraft.discarded')}" hidden>
        <p role="status" tabindex="-1"></p>
        <ul class="rows"></ul>
        <template><li><p><b></b><br><span></span></p><span class="actions"><a class="button" href="">${texts('deviceDraft.proceed')}</a><button class="plain" type="button">${texts('deviceDraft.discard')}</button></span></li></template>
      </div>`
}
