import { hiddenFields } from './fields.ts'
import { html, type SafeHtml } from './template.ts'

interface ActionForm {
  readonly action: string
  readonly hidden?: Readonly<Record<string, string | undefined>>
  readonly fields?: SafeHtml | SafeHtml[] | string
  readonly button: string
  /** The class of the button: the main action of a page has none. */
  readonly kind?: 'second' | 'quiet' | ''
}

/** Returns a form of one step: a button that posts hidden values and a few fields. */
export const actionForm = ({ action, hidden = {}, fields = '', button, kind = 'second' }: ActionForm): SafeHtml =>
  html`<form method="post" action="${action}">${hiddenFields(hidden)}${fields}
    <p><button${kind === '' ? '' : html` class="${kind}"`}>${button}</button></p></form>`
