import type { Language, Texts } from '../../locales/texts.ts'
import type { HiddenAnswer } from '../../answers/hidden-queries.ts'
import { toAnswer } from '../../answers/present.ts'
import type { AnswerRow } from '../../answers/queries.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import { createLinks } from '../../html/links.ts'
import type { QuestionView } from './question-view.ts'
import { formatLocalTime } from '../../html/local-format.ts'
import { userName } from '../../users/present.ts'

/** Every entry gets this. */
interface Context {
  readonly view: QuestionView
  readonly urls: Urls
  readonly texts: Texts
  readonly language: Language
}

export function answerEntry(row: AnswerRow, { view, urls, texts, language }: Context): SafeHtml {
  const { viewer, isPublic, voted, mayAccept } = view
  const { relative, to } = createLinks(urls)
  const { id, answer, answerer, accepted_at, total_votes, created_at, flag_url } = toAnswer(row, urls)
  const author = userName(answerer, language)
  const actionButton = (step: string, action: 'vote' | 'removeVote' | 'accept' | 'undoAcceptance') =>
    html`<form method="post" action="${to(`/answers/${id}/${step}`)}"><button class="second" aria-label="${texts('question.label', { action: texts(`question.${action}`), author })}">${texts(`question.${action}`)}</button></form>`
  const vote = voted.has(id) ? actionButton('vote/delete', 'removeVote') : actionButton('vote', 'vote')
  const acceptance = accepted_at ? actionButton('accept/delete', 'undoAcceptance') : actionButton('accept', 'accept')
  return html`<li class="card${accepted_at ? ' accepted' : ''}" id="answer-${id}">
    <img src="${relative(answerer.avatar.square_100x100)}" width="40" height="40" alt="">
    <div>
      <p><b>${author}</b> ${accepted_at ? html`<span class="status closed">${texts('question.accepted')}</span>` : ''} <span class="quiet">${formatLocalTime(created_at, language, view.centre)}</span></p>
      <p class="text">${answer}</p>
      <div class="buttons"><span>${texts('question.votes', { count: total_votes })}</span>
        ${viewer && isPublic ? html`${vote}${mayAccept ? acceptance : ''}` : ''}</div>
      ${viewer?.id === answerer.id ? '' : html`<p class="quiet"><a href="${relative(flag_url)}" aria-label="${texts('question.label', { action: texts('question.flag'), author })}">${texts('question.flag')}</a></p>`}
    </div>
  </li>`
}

export function hiddenAnswerEntry({ row, item_id, reason }: HiddenAnswer, { view, urls, texts, language }: Context): SafeHtml {
  const { relative, to } = createLinks(urls)
  const { id, answer, answerer, created_at } = toAnswer(row, urls)
  const isOwn = view.viewer?.id === answerer.id
  const audience = isOwn ? texts('question.audience.ownAnswer') : texts('question.audience.answer')
  const explanation =
    row.moderation_state === 'rejected'
      ? html`<b>${texts('question.rejectedAnswer')}</b> ${audience}. ${reason ? texts('question.moderatorSays', { reason }) : ''}`
      : html`<b>${texts('question.pendingAnswer')}</b> ${texts('question.untilThen', { audience })}
          ${isOwn || item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">${texts('question.decide')}</a>`}`
  return html`<li class="card unseen" id="answer-${id}">
    <img src="${relative(answerer.avatar.square_100x100)}" width="40" height="40" alt="">
    <div>
      <p><b>${userName(answerer, language)}</b> <span class="quiet">${formatLocalTime(created_at, language, view.centre)}</span></p>
      <p class="waiting">${explanation}</p>
      <p class="text">${answer}</p>
    </div>
  </li>`
}
