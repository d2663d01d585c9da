import { inLanguage, type Texts } from '../../../locales/texts.ts'
import type { Problem } from '../../../errors/problems.ts'
import { html, type SafeHtml } from '../../../html/template.ts'

/** Says above a form that comes back that it no longer changes a draft, before it makes another report. */
export const draftGoneNotice = (texts: Texts): SafeHtml =>
  html`<div class="error-summary" role="alert"><p>${texts('draft.isGone')}</p></div>`

/** Says above a form that comes back that it would have replaced a draft that it did not name. The form below names it. */
export const draftReplacedNotice = (texts: Texts): SafeHtml =>
  html`<div class="error-summary" role="alert"><p>${texts('draftNotice.notSent')}</p></div>`

/** Says why no further draft is saved, above the form that comes back. The login opens in a new tab, so that the form keeps its text. */
export function draftLimitNotice({ body }: Problem, loginHref: string, texts: Texts): SafeHtml {
  return html`<div class="error-summary" role="alert">
      <p><b>${body.kind === 'message' ? inLanguage(body.message, texts.language) : ''}</b> ${texts('draft.isKept')}</p>
      <p><a class="button primary" href="${loginHref}" target="_blank">${texts('draft.logInInNewTab')}</a></p>
    </div>`
}
