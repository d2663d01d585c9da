import type { Subject } from '../../flags/queries.ts'
import { MESSAGE_MAX } from '../../flags/schema.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { errorSummary, type FieldErrors, textareaField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'

export type FlagState = 'anonymous' | 'author' | 'already flagged' | 'not public' | 'can flag'

export interface FlagPage {
  readonly subject: Subject
  readonly state: FlagState
  /** Path of the issue or question, with the anchor of the comment or answer. */
  readonly back: string
  readonly message?: string
  readonly errors?: FieldErrors
}

export const flagPath = ({ type, id }: Subject) => `/${type}s/${id}/flag`

export function flagPage(page: FlagPage, { to }: Links): HtmlPage {
  const { type: what } = page.subject
  return {
    title: `Flag this ${what}`,
    description: `What a flag on this ${what} means, and what happens next.`,
    body: html`<div class="narrow">
      <h1>Flag this ${what}</h1>
      <p>
        A flag asks the moderators to remove content that should not be here: an insult, private data, advertising, or an
        invented report.
      </p>
      ${explanation(what)}
      ${flagAction(page, to)}
      <p><a href="${page.back}">Back to the ${what}</a></p>
    </div>`,
  }
}

const explanation = (what: string): SafeHtml =>
  html`<ul>
    <li>
      A flag hides nothing by itself. If three people flag the ${what} with accounts that are older than a day, a moderator
      decides.
    </li>
    <li>Flagging twice counts once, and the author does not see who flagged.</li>
    <li>Do not flag content because it is incorrect, solved or a duplicate: write ${what === 'question' || what === 'answer' ? 'an answer' : 'a comment'} instead.</li>
  </ul>`

function flagAction({ subject, state, message, errors = {} }: FlagPage, to: Links['to']): SafeHtml {
  const { type: what } = subject
  switch (state) {
    case 'anonymous':
      return html`<p><a class="button" href="${to('/login', { return_to: flagPath(subject) })}">Log in to flag it</a></p>`
    case 'author':
      return html`<p>You wrote this ${what} yourself, so you cannot flag it.</p>`
    case 'already flagged':
      return html`<div class="done" role="status"><p><b>You have flagged this ${what}.</b> Thank you for telling us.</p></div>`
    case 'not public':
      return html`<p>This ${what} is not public, so there is nothing to flag.</p>`
    case 'can flag':
      return html`${errorSummary(errors, ['message'])}
        <form method="post" action="${to(flagPath(subject))}">
          ${textareaField({
            name: 'message',
            label: 'What is wrong with it?',
            hint: 'Only moderators read this.',
            value: message,
            maxlength: MESSAGE_MAX,
            required: true,
            error: errors['message'],
          })}
          <p><button>Flag this ${what}</button></p>
        </form>`
  }
}
