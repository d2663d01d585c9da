import { inLanguage, type Language, textsIn } from '../../../locales/texts.ts'
import type { Problem } from '../../../errors/problems.ts'
import { html, type SafeHtml } from '../../../html/template.ts'

/** Says above a form that comes back that it no longer changes a draft, before it makes another report. */
export const draftGoneNotice = (language: Language): SafeHtml =>
  html`<div class="error-summary" role="alert"><p>${textsIn(language)('draft.isGone')}</p></div>`

/** Says above a form that comes back that it would have replaced a draft that it did not name. The form below names it. */
export const draftReplacedNotice = (language: Language): SafeHtml =>
  html`<div class="error-summary" role="alert"><p>${textsIn(language)('draftNotice.notSent')}</p></div>`

/** Says why no further draft is saved, above the form that comes back. The login opens in a new tab, so that the form keeps its text. */
export function draftLimitNotice({ body }: Problem, loginHref: string, language: Language): SafeHtml {
  const texts = textsIn(language)
  return html`<div class="error-summary" role="alert">
      <p><b>${body.kind === 'message' ? inLanguage(body.message, language) : ''}</b> ${texts('draft.isKept')}</p>
      <p><a class="button primary" href="${loginHref}" target="_blank">${texts('draft.logInInNewTab')}</a></p>
    </div>`
}
