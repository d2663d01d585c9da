import { type Language, textsIn } from '../../locales/texts.ts'
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
  /** The name of a flagged user. */
  readonly name?: string | undefined
  /** The author, unless the content is anonymous or the viewer's own. */
  readonly author_id?: number | undefined
  readonly message?: string
  readonly errors?: FieldErrors
}

export const flagPath = ({ type, id }: Subject) => `/${type}s/${id}/flag`

export function flagPage(page: FlagPage, language: Language, links: Links): HtmlPage {
  const texts = textsIn(language)
  const { type } = page.subject
  const words = { this: texts(`flag.words.${type}.this`) }
  return {
    title: texts('flag.title', words),
    description: texts('flag.description', words),
    language,
    body: html`<div class="narrow">
      <h1>${texts('flag.title', words)}</h1>
      ${page.name === undefined ? '' : html`<p><b>${page.name}</b></p>`}
      <p>${texts('flag.purpose')}</p>
      <ul>
        <li>${texts('flag.threshold', words)}</li>
        <li>${texts('flag.once')}</li>
        <li>${type === 'user' ? texts('flag.notForUser') : texts('flag.notFor', { reply: texts(`flag.words.${type}.reply`) })}</li>
      </ul>
      ${flagAction(page, language, links)}
      ${page.author_id === undefined ? '' : html`<p><a href="${links.to(flagPath({ type: 'user', id: page.author_id }))}">${texts('flag.flagAuthor')}</a></p>`}
      <p><a href="${page.back}">${texts(`flag.words.${type}.back`)}</a></p>
    </div>`,
  }
}

function flagAction({ subject, state, message, errors = {} }: FlagPage, language: Language, { to }: Links): SafeHtml {
  const texts = textsIn(language)
  const words = { this: texts(`flag.words.${subject.type}.this`) }
  switch (state) {
    case 'anonymous':
      return html`<p><a class="button" href="${to('/login', { return_to: flagPath(subject) })}">${texts('flag.logIn')}</a></p>`
    case 'author':
      return html`<p>${subject.type === 'user' ? texts('flag.ownProfile') : texts('flag.own', words)}</p>`
    case 'already flagged':
      return html`<div class="done" role="status"><p><b>${texts('flag.flagged', words)}</b> ${texts('flag.thanks')}</p></div>`
    case 'not public':
      return html`<p>${texts(`flag.words.${subject.type}.notPublic`)}</p>`
    case 'can flag':
      return html`${errorSummary(errors, [['message', texts('flag.message')]], language)}
        <form method="post" action="${to(flagPath(subject))}">
          ${textareaField({
            name: 'message',
            label: texts('flag.message'),
            hint: texts('flag.messageHint'),
            value: message,
            maxlength: MESSAGE_MAX,
            required: true,
            error: errors['message'],
            language,
          })}
          <p><button>${texts('flag.title', words)}</button></p>
        </form>`
  }
}
