import { type Language, textsIn } from '../locales/texts.ts'
import { formatNumber } from '../html/format.ts'
import type { Links } from '../html/links.ts'
import { formatLocalDateTime } from '../html/local-format.ts'
import type { HtmlPage } from '../html/page.ts'
import { pager } from '../html/pager.ts'
import { html, type SafeHtml } from '../html/template.ts'
import type { Page } from '../http/lists/pagination.ts'
import type { DeadLetter } from '../outbox/dead-letters.ts'

interface ListedDeadLetters {
  readonly dead: readonly DeadLetter[]
  readonly entries: number
  readonly page: Page
}

export function deadLettersPage({ dead, entries, page }: ListedDeadLetters, links: Links, language: Language): HtmlPage {
  const texts = textsIn(language)
  const pageHref = (number: number) => links.to('/ops/dead-letters', { page: number, per_page: page.perPage })
  return {
    title: texts('deadLetters.title'),
    description: texts('deadLetters.description'),
    language,
    body: html`<p class="trail"><a href="${links.to('/ops')}">${texts('ops.title')}</a></p>
      <h1>${texts('deadLetters.title')}</h1>
      ${
        entries === 0
          ? html`<div class="empty"><h2>${texts('deadLetters.none')}</h2><p>${texts('deadLetters.noneExplanation')}</p></div>`
          : html`<p>${texts('deadLetters.explanation')}</p>
            <ul class="comments">${dead.map((letter) => deadLetterCard(letter, links, language))}</ul>
            ${pager(page, entries, pageHref, language)}`
      }`,
  }
}

/** Handlers, events and errors are shown as the API names them. */
function deadLetterCard(letter: DeadLetter, { to }: Links, language: Language): SafeHtml {
  const { event_id, handler } = letter
  const texts = textsIn(language)
  const label = (action: string) => texts('deadLetters.actionLabel', { action, handler, event: event_id })
  const time = (iso: string) => formatLocalDateTime(iso, language, undefined)
  const error = letter.last_error
  return html`<li class="card"><div>
    <h2><code>${handler}</code></h2>
    <dl class="facts">
      <div><dt>${texts('deadLetters.event')}</dt><dd>${event_id}${texts('ops.colon')} ${texts('ops.eventOf', { type: letter.type, subject: letter.subject_id })}</dd></div>
      <div><dt>${texts('deadLetters.error')}</dt><dd>${error === null ? texts('deadLetters.noError') : html`<code lang="en">${error}</code>`}</dd></div>
      <div><dt>${texts('deadLetters.happened')}</dt><dd>${time(letter.happened_at)}</dd></div>
      <div><dt>${texts('deadLetters.dead')}</dt><dd>${time(letter.dead_at)}</dd></div>
      <div><dt>${texts('deadLetters.starts')}</dt><dd>${formatNumber(letter.starts, language)}</dd></div>
      <div><dt>${texts('deadLetters.requeues')}</dt><dd>${formatNumber(letter.requeues, language)}</dd></div>
    </dl>
    <form class="buttons" method="post" action="${to(`/ops/dead-letters/${event_id}/${encodeURIComponent(handler)}`)}">
      <button aria-label="${label(texts('deadLetters.retry'))}">${texts('deadLetters.retry')}</button>
      <a class="button" href="${to(`/ops/trace/${event_id}`)}" aria-label="${label(texts('deadLetters.trace'))}">${texts('deadLetters.trace')}</a>
    </form>
  </div></li>`
}
