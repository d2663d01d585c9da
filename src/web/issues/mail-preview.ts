import { langAttribute } from '../../html/lang.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'
import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import type { Preview } from '../../staff/previews/schema.ts'

/** Returns a button of the comment form for the mail of each of its answers. */
export function previewButtons(action: string, transitions: readonly TransitionName[], texts: Texts): SafeHtml {
  const button = (name: SafeHtml | string, title: string) =>
    html`<button class="second small" formaction="${action}"${name} aria-label="${texts('mailPreview.of', { answer: title })}">${title}</button> `
  return html`<p class="buttons previews"><span>${texts('mailPreview.button')}</span>
    ${button('', texts('issueForm.submit'))}
    ${transitions.map((one) => button(html` name="transition" value="${one}"`, texts(`issueForm.submitWith.${one}`)))}</p>`
}

/** The mail that the answer would send, and the number of its recipients. */
export function mailPreview({ is_held, locale, subject, text, recipients }: Preview, language: Language): SafeHtml {
  const texts = textsIn(language)
  const kinds = (['reporter', 'followers', 'watchers'] as const).filter((kind) => recipients[kind] > 0)
  const mail = html`<ul>${kinds.map((kind) => html`<li>${texts(`mailPreview.recipients.${kind}`, { count: recipients[kind] })}</li>`)}</ul>
    <p><b${langAttribute(locale, language)}>${subject}</b></p>
    <p class="text"${langAttribute(locale, language)}>${text}</p>`
  return html`<section class="offer mail" role="status" aria-labelledby="mail-name"><h3 id="mail-name">${texts('mailPreview.title')}</h3>
    ${is_held ? html`<p>${texts('mailPreview.held')}</p>` : kinds.length === 0 ? html`<p>${texts('mailPreview.none')}</p>` : mail}
    <p class="quiet">${texts('mailPreview.hint')}</p></section>`
}
