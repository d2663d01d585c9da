import { html, type SafeHtml } from '../../html/template.ts'
import type { Texts } from '../../locales/texts.ts'
import { parseActionPath } from './act-on-login.ts'

/** Says what the login does besides the login. */
export function actionNote(return_to: string, texts: Texts): SafeHtml | string {
  const requested = parseActionPath(return_to)
  if (!requested) return ''
  return html`<p class="note">${texts(`login.first.${requested.action}`, { number: `#${requested.issue_id}` })}</p>`
}
