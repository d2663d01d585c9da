import type { Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { statusName } from '../../issue-lifecycle/status.ts'
import type { ModerationItem } from '../../moderation/schema.ts'
import { answerSubject, commentSubject, subjectPlace } from './moderation-subject.ts'

interface Context {
  readonly links: Links
  readonly texts: Texts
}

/** Names and links the issue of a comment, the question of an answer and their place. */
export function subjectContext(item: ModerationItem, { links: { relative, to }, texts }: Context): SafeHtml | string {
  const issue = commentSubject(item)?.issue
  if (issue)
    return html`<p>${richText(texts, 'moderation.onIssue', { issue: html`<a href="${relative(issue.html_url)}">${issue.summary}</a>` })}
      <span class="status ${issue.status.toLowerCase()}">${statusName(issue.status, texts.language)}</span></p>`
  const [question, place] = [answerSubject(item)?.question, subjectPlace(item)]
  if (!place) return ''
  const questionLink = question && html`<a href="${relative(question.html_url)}">${question.question}</a>`
  return html`${questionLink ? html`<p>${richText(texts, 'moderation.toQuestion', { question: questionLink })}</p>` : ''}
    <p>${richText(texts, 'moderation.inPlace', { place: html`<a href="${to(`/places/${place.id}`)}">${place.name}</a>` })}</p>`
}
