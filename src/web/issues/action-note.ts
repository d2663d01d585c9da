import { html, type SafeHtml } from '../../html/template.ts'
import { type Language, textsIn } from '../../locales/texts.ts'
import { parseActionPath } from './act-on-login.ts'

/** Says what the login does besides the login. */
export function actionNote(return_to: string, language: Language): SafeHtml | string {
  const requested = parseActionPath(return_to)
  if (!requested) return ''
  return html`<p class="note">${textsIn(language)(`login.first.${requested.action}`, { number: `#${requested.issue_id}` })}</p>`
}
