import type { HiddenAnswer } from '../../answers/hidden-queries.ts'
import { toAnswer } from '../../answers/present.ts'
import type { AnswerRow } from '../../answers/queries.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import { createLinks } from '../../html/links.ts'
import type { QuestionView } from './question-view.ts'
import { formatCount, formatDateTime } from '../../html/format.ts'

export function answerEntry(row: AnswerRow, { viewer, isPublic, voted, mayAccept }: QuestionView, urls: Urls): SafeHtml {
  const { relative, to } = createLinks(urls)
  const { id, answer, answerer, accepted_at, total_votes, created_at, flag_url } = toAnswer(row, urls)
  const actionButton = (step: string, name: string, label: string) =>
    html`<form method="post" action="${to(`/answers/${id}/${step}`)}"><button class="second" aria-label="${label}">${name}</button></form>`
  const answerLabel = `this answer by ${answerer.name}`
  const vote = voted.has(id)
    ? actionButton('vote/delete', 'Remove your vote', `Remove your vote for ${answerLabel}`)
    : actionButton('vote', 'Vote for it', `Vote for ${answerLabel}`)
  const acceptance = accepted_at
    ? actionButton('accept/delete', 'Undo acceptance', `Undo the acceptance of ${answerLabel}`)
    : actionButton('accept', 'Accept it', `Accept ${answerLabel}`)
  return html`<li class="card${accepted_at ? ' accepted' : ''}" id="answer-${id}">
    <img src="${relative(answerer.avatar.square_100x100)}" width="40" height="40" alt="">
    <div>
      <p><b>${answerer.name}</b> ${accepted_at ? html`<span class="status closed">Accepted answer</span>` : ''} <span class="quiet">${formatDateTime(created_at)}</span></p>
      <p class="text">${answer}</p>
      <div class="buttons"><span>${formatCount(total_votes, 'vote')}</span>
        ${viewer && isPublic ? html`${vote}${mayAccept ? acceptance : ''}` : ''}</div>
      ${viewer?.id === answerer.id ? '' : html`<p class="quiet"><a href="${relative(flag_url)}" aria-label="Flag ${answerLabel}">Flag</a></p>`}
    </div>
  </li>`
}

export function hiddenAnswerEntry({ row, item_id, reason }: HiddenAnswer, { viewer }: QuestionView, urls: Urls): SafeHtml {
  const { relative, to } = createLinks(urls)
  const { id, answer, answerer, created_at } = toAnswer(row, urls)
  const isOwn = viewer?.id === answerer.id
  const audience = isOwn ? 'only you and the moderators see it' : 'only its author and the moderators see it'
  const explanation =
    row.moderation_state === 'rejected'
      ? html`<b>A moderator decided not to publish this:</b> ${audience}.${reason ? html` They wrote: ${reason}` : ''}`
      : html`<b>A moderator reviews this first.</b> Until then ${audience}.
          ${isOwn || item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">Decide on it</a>`}`
  return html`<li class="card unseen" id="answer-${id}">
    <img src="${relative(answerer.avatar.square_100x100)}" width="40" height="40" alt="">
    <div>
      <p><b>${answerer.name}</b> <span class="quiet">${formatDateTime(created_at)}</span></p>
      <p class="waiting">${explanation}</p>
      <p class="text">${answer}</p>
    </div>
  </li>`
}
