import type { Problem } from '../../../errors/problems.ts'
import { inLanguage } from '../../../errors/texts/in-language.ts'
import type { Language } from '../../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { draftNoticeTexts } from './draft-notice-texts.ts'
import { draftTexts } from './draft-texts.ts'

/** Says above a form that comes back that it no longer changes a draft, before it makes another report. */
export const draftGoneNotice = (language: Language): SafeHtml =>
  html`<div class="error-summary" role="alert"><p>${draftTexts[language].isGone}</p></div>`

/** Says above a form that comes back that it would have replaced a draft that it did not name. The form below names it. */
export const draftReplacedNotice = (language: Language): SafeHtml =>
  html`<div class="error-summary" role="alert"><p>${draftNoticeTexts[language].notSent}</p></div>`

/** Says why no further draft is saved, above the form that comes back. The login opens in a new tab, so that the form keeps its text. */
export function draftLimitNotice({ body }: Problem, loginHref: string, language: Language): SafeHtml {
  const texts = draftTexts[language]
  return html`<div class="error-summary" role="alert">
      <p><b>${body.kind === 'message' ? inLanguage(body.message, language) : ''}</b> ${texts.isKept}</p>
      <p><a class="button primary" href="${loginHref}" target="_blank">${texts.logInInNewTab}</a></p>
    </div>`
}
