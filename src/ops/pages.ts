import { type Language, type Texts, textsIn } from '../locales/texts.ts'
import { inputField } from '../html/fields.ts'
import { formatNumber } from '../html/format.ts'
import { html, type SafeHtml } from '../html/template.ts'
import type { Links } from '../html/links.ts'
import { type HtmlPage, pageTitles } from '../html/page.ts'
import type { assessHealth } from './health.ts'
import type { QueueOverview } from './queue-overview.ts'
import type { QueueAction } from './queue-routes.ts'
import type { PresentedTrace } from './trace.ts'

type Health = ReturnType<typeof assessHealth>

export function opsPage(
  { status, alarms, warnings, checks }: Health,
  overviews: ReadonlyMap<string, QueueOverview>,
  { to }: Links,
  language: Language,
): HtmlPage {
  const texts = textsIn(language)
  const board = (queue: string, status: string) => to(`/ops/queues/queue/${queue}`, { status })
  const changes = (name: string, { isPaused, failed }: QueueOverview) => {
    const path = (action: QueueAction) => to(`/ops/queue/${name}/${action}`)
    const named = (action: QueueAction) => html`aria-label="${texts(`ops.actions.${action}.title`, { queue: name })}"`
    const label = (action: QueueAction) => texts(`ops.actions.${action}.button`, { count: failed })
    const button = (action: QueueAction) =>
      html`<button class="small" formaction="${path(action)}" ${named(action)}>${label(action)}</button>`
    const link = (action: QueueAction) => html`<a class="button small" href="${path(action)}" ${named(action)}>${label(action)}</a>`
    return html`<form class="buttons" method="post">${failed > 0 ? button('retry') : ''} ${isPaused ? button('resume') : link('pause')} ${link('drain')}</form>`
  }
  const [, ...labels] = texts.list('ops.columns')
  const queues = Object.entries(checks.queues).map(([name, { workers }]) => {
    const queue = overviews.get(name)
    const counts = [
      queue?.waiting,
      queue && (queue.oldest_waiting_s ?? 0),
      queue?.failed,
      queue?.active,
      queue?.per_minute,
      workers,
    ]
    return html`<tr><th scope="row" class="what"><a href="${board(name, 'waiting')}"><code>${name}</code></a>${queue?.isPaused ? html` <b>${texts('ops.paused')}</b>` : ''}</th>
      ${counts.map((count, n) => html`<td data-label="${labels[n]}">${formatCount(count ?? null, language)}</td>`)}
      <td>${queue === undefined ? '' : changes(name, queue)}</td></tr>`
  })
  const failures = [...overviews].flatMap(([name, { reasons }]) =>
    reasons.map(
      ([reason, count]) =>
        html`<li><a href="${board(name, 'failed')}"><code>${name}</code></a>${texts('ops.colon')} ${formatCount(count, language)} × <span lang="en">${reason}</span></li>`,
    ),
  )
  return {
    ...pageTitles(texts, 'ops.title', 'ops.description'),
    language,
    body: html`<h1>${texts('ops.title')}</h1>
      ${
        status === 'ok'
          ? html`<p>${texts('ops.allPass')}</p>`
          : html`<p><b>${texts('ops.alarms')}</b></p><ul>${alarms.map((alarm) => html`<li lang="en">${alarm}</li>`)}</ul>`
      }
      ${warnings.map((warning) => html`<p><b>${texts('ops.warning')}</b> <span lang="en">${warning}</span></p>`)}
      <div class="data" role="region" tabindex="0" aria-label="${texts('ops.queues')}"><table class="worklist"><caption class="visually-hidden">${texts('ops.queues')}</caption>
      <thead><tr>${[...texts.list('ops.columns'), texts('ops.changes')].map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
      <tbody>${queues}</tbody></table></div>
      ${failures.length === 0 ? '' : html`<h2>${texts('ops.failures')}</h2><ul>${failures}</ul>`}
      <nav class="choices" aria-label="${texts('ops.title')}">
      <a href="${to('/ops/queues/')}">${texts('ops.jobs')}</a>
      <a href="${to('/ops/dead-letters')}">${texts('ops.deadLetters', { count: formatCount(checks.outbox.dead_letters, language) })}</a>
      <a href="${to('/ops/health')}">${texts('ops.health')}</a>
      <a href="${to('/metrics')}">${texts('ops.metrics')}</a>
      </nav>
      <h2>${texts('ops.trace')}</h2>
      <form class="narrow" method="get" action="${to('/ops/trace')}">
      ${inputField({ name: 'id', label: texts('ops.traceLabel'), language, required: true, maxlength: 300, autocomplete: 'off' })}
      <p><button>${texts('ops.traceButton')}</button></p>
      </form>`,
  }
}

type TracedEvent = PresentedTrace['events'][number]

/** Every part of the page of a trace gets this. */
interface Context {
  readonly to: Links['to']
  readonly texts: Texts
}

export function tracePage({ kind, id, events }: PresentedTrace, { to }: Links, language: Language): HtmlPage {
  const texts = textsIn(language)
  const title = texts(`ops.traceTitles.${kind}`, { id })
  return {
    title,
    description: texts('ops.traceDescription'),
    language,
    body: html`<p class="trail"><a href="${to('/ops')}">${texts('ops.title')}</a></p>
      <h1>${title}</h1>
      ${events.map((event) => eventPart(event, { to, texts }))}`,
  }
}

function eventPart(event: TracedEvent, context: Context): SafeHtml {
  const { to, texts } = context
  const more = event.mails_count - event.mails.length
  const request = event.request_id && html`<a href="${to(`/ops/trace/${event.request_id}`)}">${event.request_id}</a>`
  return html`<h2><a href="${to(`/ops/trace/${event.id}`)}">${texts('ops.event', { id: event.id })}</a>${texts('ops.colon')} ${texts('ops.eventOf', { type: event.type, subject: event.subject_id })}</h2>
    <p class="quiet">${event.created_at} · ${actorText(event, texts)} ·
    ${request ? html`${texts('ops.request')} ${request}` : texts('ops.noRequest')}</p>
    <ul>${event.deliveries.map((delivery) => deliveryLine(delivery, texts))}</ul>
    ${event.mails.length === 0 ? '' : html`<h3>${texts('ops.mails')}</h3><ul>${event.mails.map((mail) => mailLine(mail, context))}</ul>`}
    ${more > 0 ? html`<p class="quiet">${texts('ops.moreMails', { count: more })}</p>` : ''}`
}

function actorText({ named, actor_id }: TracedEvent, texts: Texts): string {
  if (!named) return texts('ops.anonymous')
  return actor_id === null ? texts('ops.byService') : texts('ops.byUser', { id: actor_id })
}

/** Handlers, queues and states are shown as the API names them. */
function deliveryLine(delivery: TracedEvent['deliveries'][number], texts: Texts): SafeHtml {
  const when = delivery.delivered_at ?? delivery.dead_at ?? texts('ops.due', { time: delivery.due_at })
  return html`<li><b><code>${delivery.handler}</code></b> (${delivery.queue === null ? texts('ops.unknownQueue') : html`<code>${delivery.queue}</code>`})${texts('ops.colon')} <code>${delivery.status}</code>, ${when}, ${texts('ops.requeues', { count: delivery.requeues })}
    ${delivery.last_error === null ? '' : html`<br>${delivery.last_error}`}
    ${delivery.jobs.map((job) => html`<br><span class="quiet">${texts('ops.job', { id: job.id })}${texts('ops.colon')} <code>${job.state}</code></span>`)}</li>`
}

function mailLine(mail: TracedEvent['mails'][number], { to, texts }: Context): SafeHtml {
  const when = mail.sent_at ?? mail.failed_at ?? ''
  return html`<li><a href="${to(`/ops/trace/${mail.message_id}`)}">${mail.message_id}</a> ${texts('ops.mailTo', { address: mail.to ?? texts('ops.hiddenAddress') })}${texts('ops.colon')} <code>${mail.status}</code> ${when}, ${texts('ops.attempts', { count: mail.attempts })}
    ${mail.response === null ? '' : html`<br><span class="quiet">${mail.response}</span>`}</li>`
}

const formatCount = (count: number | null, language: Language) => (count === null ? '?' : formatNumber(count, language))
