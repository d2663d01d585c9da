import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { problems } from '../errors/problems.ts'
import { createLinks, type Links, seeOther } from '../html/links.ts'
import { sendPrivatePage, type HtmlPage, pageTitles } from '../html/page.ts'
import { pageLanguage } from '../http/errors/text-language.ts'
import { queryParameters, toPage, toPagination, type Page } from '../http/lists/pagination.ts'
import { OPERATIONS } from '../http/openapi/describe-operations.ts'
import { failsWith, toTimestamp } from '../http/schema/fields.ts'
import { listDeadLetters, retryDeadLetter, type DeadLetter } from '../outbox/dead-letters.ts'
import { isDeliveryHandlerName } from '../queue/job-definitions.ts'
import type { Services } from '../services.ts'
import { DeadLetters, DeadLettersQuery, pageOr, Retried, RetryParams } from './schema.ts'
import { type Language, textsIn } from '../locales/texts.ts'
import { formatNumber, formatLocalDateTime } from '../html/format.ts'
import { pager } from '../html/pager.ts'
import { html, type SafeHtml } from '../html/template.ts'

const tags = [OPERATIONS]

export const deadLetterRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, enqueueDeliveries }) => {
  const links = createLinks(urls)

  app.get(
    '/ops/dead-letters',
    {
      schema: {
        operationId: 'listDeadLetters',
        summary: 'List the dead letters',
        description:
          'Outbox deliveries that failed 34 times in about a day, the latest first. They stay stored and can be retried. A page for `Accept: text/html`.',
        tags,
        querystring: DeadLettersQuery,
        response: {
          200: pageOr('The dead letters.', DeadLetters),
          ...failsWith(422),
        },
      },
    },
    async (request, reply) => {
      const page = toPage(request.query)
      const { dead, entries } = await listDeadLetters(db, page)
      const letters = dead.map((letter) => ({
        ...letter,
        happened_at: toTimestamp(letter.happened_at),
        dead_at: toTimestamp(letter.dead_at),
      }))
      void reply.header('vary', 'Accept')
      if (request.accepts().type(['json', 'html']) === 'html') {
        const html = deadLettersPage({ dead: letters, entries, page }, links, pageLanguage(request))
        return sendPrivatePage(request, reply, urls, html)
      }
      const pagination = toPagination(urls, '/ops/dead-letters', queryParameters(request), page, entries)
      return reply.type('application/json; charset=utf-8').send({ dead_letters: letters, metadata: { pagination } })
    },
  )

  app.post(
    '/ops/dead-letters/:event_id/:handler/retry',
    {
      config: { idempotency: false },
      schema: {
        operationId: 'retryDeadLetter',
        summary: 'Retry a dead letter',
        description:
          'Queues the delivery again. After 34 more starts without success it is a dead letter again. 404 if it is not a dead letter, so that nothing is queued twice.',
        tags,
        params: RetryParams,
        response: { 200: Retried, ...failsWith(400, 404, 413, 415) },
      },
    },
    async ({ params: { event_id, handler } }) => ({ event_id, handler, requeues: await retry(event_id, handler) }),
  )

  /** The form of the page leads to the trace, which shows what became of the delivery. */
  app.post('/ops/dead-letters/:event_id/:handler', { schema: { params: RetryParams } }, async (request, reply) => {
    const { event_id, handler } = request.params
    await retry(event_id, handler)
    return seeOther(reply, urls, `/ops/trace/${event_id}`)
  })

  async function retry(event_id: number, handler: string): Promise<number> {
    const retried = isDeliveryHandlerName(handler) ? await retryDeadLetter(db, event_id, handler) : undefined
    if (!retried) throw problems.notFound('the_dead_letter')
    enqueueDeliveries([retried])
    return retried.requeues
  }
}

interface ListedDeadLetters {
  readonly dead: readonly DeadLetter[]
  readonly entries: number
  readonly page: Page
}

function deadLettersPage({ dead, entries, page }: ListedDeadLetters, links: Links, language: Language): HtmlPage {
  const texts = textsIn(language)
  const pageHref = (number: number) => links.to('/ops/dead-letters', { page: number, per_page: page.perPage })
  return {
    ...pageTitles(texts, 'deadLetters.title', 'deadLetters.description'),
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
