import type { Language } from '../errors/texts/languages.ts'
import { formatNumber } from '../html/format.ts'
import type { Links } from '../html/links.ts'
import { formatLocalDateTime } from '../html/local-format.ts'
import type { HtmlPage } from '../html/page.ts'
import { pager } from '../html/pager.ts'
import { html, type SafeHtml } from '../html/template.ts'
import type { Page } from '../http/lists/pagination.ts'
import type { DeadLetter } from '../outbox/dead-letters.ts'
import { deadLettersTexts } from './dead-letters-texts.ts'
import { opsTexts } from './ops-texts.ts'

interface ListedDeadLetters {
  readonly dead: readonly DeadLetter[]
  readonly entries: number
  readonly page: Page
}

export function deadLettersPage({ dead, entries, page }: ListedDeadLetters, links: Links, language: Language): HtmlPage {
  const texts = deadLettersTexts[language]
  const pageHref = (number: number) => links.to('/ops/dead-letters', { page: number, per_page: page.perPage })
  return {
    title: texts.title,
    description: texts.description,
    language,
    body: html`<p class="trail"><a href="${links.to('/ops')}">${opsTexts[language].title}</a></p>
      <h1>${texts.title}</h1>
      ${
        entries === 0
          ? html`<div class="empty"><h2>${texts.none}</h2><p>${texts.noneExplanation}</p></div>`
          : html`<p>${texts.explanation}</p>
            <ul class="comments">${dead.map((letter) => deadLetterCard(letter, links, language))}</ul>
            ${pager(page, entries, pageHref, language)}`
      }`,
  }
}

/** Handlers, events and errors are shown as the API names them. */
function deadLetterCard(letter: DeadLetter, { to }: Links, language: Language): SafeHtml {
  const { event_id, handler } = letter
  const texts = deadLettersTexts[language]
  const label = (action: string) => texts.actionLabel(action, handler, event_id)
  const time = (iso: string) => formatLocalDateTime(iso, language, undefined)
  const error = letter.last_error
  return html`<li class="card"><div>
    <h2><code>${handler}</code></h2>
    <dl class="facts">
      <div><dt>${texts.event}</dt><dd>${event_id}${opsTexts[language].colon} ${opsTexts[language].eventOf(letter.type, letter.subject_id)}</dd></div>
      <div><dt>${texts.error}</dt><dd>${error === null ? texts.noError : html`<code lang="en">${error}</code>`}</dd></div>
      <div><dt>${texts.happened}</dt><dd>${time(letter.happened_at)}</dd></div>
      <div><dt>${texts.dead}</dt><dd>${time(letter.dead_at)}</dd></div>
      <div><dt>${texts.starts}</dt><dd>${formatNumber(letter.starts, language)}</dd></div>
      <div><dt>${texts.requeues}</dt><dd>${formatNumber(letter.requeues, language)}</dd></div>
    </dl>
    <form class="buttons" method="post" action="${to(`/ops/dead-letters/${event_id}/${encodeURIComponent(handler)}`)}">
      <button aria-label="${label(texts.retry)}">${texts.retry}</button>
      <a class="button" href="${to(`/ops/trace/${event_id}`)}" aria-label="${label(texts.trace)}">${texts.trace}</a>
    </form>
  </div></li>`
}
