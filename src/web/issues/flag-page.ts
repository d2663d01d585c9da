import type { Subject } from '../../flags/queries.ts'
import { MESSAGE_MAX } from '../../flags/schema.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { errorSummary, type FieldErrors, textareaField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { flagTexts } from './flag-texts.ts'

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
  const texts = flagTexts[language]
  const words = texts.words[page.subject.type]
  return {
    title: texts.title(words),
    description: texts.description(words),
    language,
    body: html`<div class="narrow">
      <h1>${texts.title(words)}</h1>
      ${page.name === undefined ? '' : html`<p><b>${page.name}</b></p>`}
      <p>${texts.purpose}</p>
      <ul>
        <li>${texts.threshold(words)}</li>
        <li>${texts.once}</li>
        <li>${words.reply === undefined ? texts.notForUser : texts.notFor(words)}</li>
      </ul>
      ${flagAction(page, language, links)}
      ${page.author_id === undefined ? '' : html`<p><a href="${links.to(flagPath({ type: 'user', id: page.author_id }))}">${texts.flagAuthor}</a></p>`}
      <p><a href="${page.back}">${words.back}</a></p>
    </div>`,
  }
}

function flagAction({ subject, state, message, errors = {} }: FlagPage, language: Language, { to }: Links): SafeHtml {
  const texts = flagTexts[language]
  const words = texts.words[subject.type]
  switch (state) {
    case 'anonymous':
      return html`<p><a class="button" href="${to('/login', { return_to: flagPath(subject) })}">${texts.logIn}</a></p>`
    case 'author':
      return html`<p>${texts.own(words)}</p>`
    case 'already flagged':
      return html`<div class="done" role="status"><p><b>${texts.flagged(words)}</b> ${texts.thanks}</p></div>`
    case 'not public':
      return html`<p>${words.notPublic}</p>`
    case 'can flag':
      return html`${errorSummary(errors, ['message'], language)}
        <form method="post" action="${to(flagPath(subject))}">
          ${textareaField({
            name: 'message',
            label: texts.message,
            hint: texts.messageHint,
            value: message,
            maxlength: MESSAGE_MAX,
            required: true,
            error: errors['message'],
            language,
          })}
          <p><button>${texts.title(words)}</button></p>
        </form>`
  }
}
