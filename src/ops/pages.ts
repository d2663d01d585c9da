import type { Language } from '../errors/texts/languages.ts'
import { inputField } from '../html/fields.ts'
import { formatNumber } from '../html/format.ts'
import { html, type SafeHtml } from '../html/template.ts'
import { type Links } from '../html/links.ts'
import type { HtmlPage } from '../html/page.ts'
import type { assessHealth } from './health.ts'
import { opsTexts, type OpsTexts } from './ops-texts.ts'
import type { PresentedTrace } from './trace.ts'

type Health = ReturnType<typeof assessHealth>

export function opsPage({ status, alarms, warnings, checks }: Health, { to }: Links, language: Language): HtmlPage {
  const texts = opsTexts[language]
  const queues = Object.entries(checks.queues).map(
    ([name, queue]) =>
      html`<tr><th scope="row"><code>${name}</code></th>${[queue.workers, queue.waiting, queue.active, queue.failed].map(
        (count) => html`<td>${formatCount(count, language)}</td>`,
      )}</tr>`,
  )
  return {
    title: texts.title,
    description: texts.description,
    language,
    body: html`<h1>${texts.title}</h1>
      ${
        status === 'ok'
          ? html`<p>${texts.allPass}</p>`
          : html`<p><b>${texts.alarms}</b></p><ul>${alarms.map((alarm) => html`<li lang="en">${alarm}</li>`)}</ul>`
      }
      ${warnings.map((warning) => html`<p><b>${texts.warning}</b> <span lang="en">${warning}</span></p>`)}
      <div class="data" role="region" tabindex="0" aria-label="${texts.queues}"><table><caption>${texts.queues}</caption>
      <thead><tr>${texts.columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
      <tbody>${queues}</tbody></table></div>
      <nav class="choices" aria-label="${texts.title}">
      <a href="${to('/ops/queues/')}">${texts.jobs}</a>
      <a href="${to('/ops/dead-letters')}">${texts.deadLetters(formatCount(checks.outbox.dead_letters, language))}</a>
      <a href="${to('/ops/health')}">${texts.health}</a>
      <a href="${to('/metrics')}">${texts.metrics}</a>
      </nav>
      <h2>${texts.trace}</h2>
      <form class="narrow" method="get" action="${to('/ops/trace')}">
      ${inputField({ name: 'id', label: texts.traceLabel, language, required: true, maxlength: 300, autocomplete: 'off' })}
      <p><button>${texts.traceButton}</button></p>
      </form>`,
  }
}

type TracedEvent = PresentedTrace['events'][number]

/** Every part of the page of a trace gets this. */
interface Context {
  readonly to: Links['to']
  readonly texts: OpsTexts
}

export function tracePage({ kind, id, events }: PresentedTrace, { to }: Links, language: Language): HtmlPage {
  const texts = opsTexts[language]
  const title = texts.traceTitles[kind](id)
  return {
    title,
    description: texts.traceDescription,
    language,
    body: html`<p class="trail"><a href="${to('/ops')}">${texts.title}</a></p>
      <h1>${title}</h1>
      ${events.map((event) => eventPart(event, { to, texts }))}`,
  }
}

function eventPart(event: TracedEvent, context: Context): SafeHtml {
  const { to, texts } = context
  const more = event.mails_count - event.mails.length
  const request = event.request_id && html`<a href="${to(`/ops/trace/${event.request_id}`)}">${event.request_id}</a>`
  return html`<h2><a href="${to(`/ops/trace/${event.id}`)}">${texts.event(event.id)}</a>${texts.colon} ${texts.eventOf(event.type, event.subject_id)}</h2>
    <p class="quiet">${event.created_at} · ${actorText(event, texts)} ·
    ${request ? html`${texts.request} ${request}` : texts.noRequest}</p>
    <ul>${event.deliveries.map((delivery) => deliveryLine(delivery, texts))}</ul>
    ${event.mails.length === 0 ? '' : html`<h3>${texts.mails}</h3><ul>${event.mails.map((mail) => mailLine(mail, context))}</ul>`}
    ${more > 0 ? html`<p class="quiet">${texts.moreMails(more)}</p>` : ''}`
}

function actorText({ named, actor_id }: TracedEvent, texts: OpsTexts): string {
  if (!named) return texts.anonymous
  return actor_id === null ? texts.byService : texts.byUser(actor_id)
}

/** Handlers, queues and states are shown as the API names them. */
function deliveryLine(delivery: TracedEvent['deliveries'][number], texts: OpsTexts): SafeHtml {
  const when = delivery.delivered_at ?? delivery.dead_at ?? texts.due(delivery.due_at)
  return html`<li><b><code>${delivery.handler}</code></b> (${delivery.queue === null ? texts.unknownQueue : html`<code>${delivery.queue}</code>`})${texts.colon} <code>${delivery.status}</code>, ${when}, ${texts.requeues(delivery.requeues)}
    ${delivery.last_error === null ? '' : html`<br>${delivery.last_error}`}
    ${delivery.jobs.map((job) => html`<br><span class="quiet">${texts.job(job.id)}${texts.colon} <code>${job.state}</code></span>`)}</li>`
}

function mailLine(mail: TracedEvent['mails'][number], { to, texts }: Context): SafeHtml {
  const when = mail.sent_at ?? mail.failed_at ?? ''
  return html`<li><a href="${to(`/ops/trace/${mail.message_id}`)}">${mail.message_id}</a> ${texts.mailTo(mail.to ?? texts.hiddenAddress)}${texts.colon} <code>${mail.status}</code> ${when}, ${texts.attempts(mail.attempts)}
    ${mail.response === null ? '' : html`<br><span class="quiet">${mail.response}</span>`}</li>`
}

const formatCount = (count: number | null, language: Language) => (count === null ? '?' : formatNumber(count, language))
