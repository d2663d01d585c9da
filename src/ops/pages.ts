import { html, type SafeHtml } from '../html/template.ts'
import { type Links } from '../html/links.ts'
import type { HtmlPage } from '../html/page.ts'
import type { assessHealth } from './health.ts'
import type { PresentedTrace } from './trace.ts'

type Health = ReturnType<typeof assessHealth>

export function opsPage({ status, alarms, warnings, checks }: Health, { to }: Links): HtmlPage {
  const queues = Object.entries(checks.queues).map(
    ([name, queue]) =>
      html`<tr><th scope="row">${name}</th><td>${countText(queue.workers)}</td><td>${countText(queue.waiting)}</td><td>${countText(queue.active)}</td><td>${countText(queue.failed)}</td></tr>`,
  )
  return {
    title: 'Operations',
    description: 'Health of this service.',
    body: html`<h1>Operations</h1>
      ${
        status === 'ok'
          ? html`<p>All checks pass.</p>`
          : html`<p><b>These alarms need attention:</b></p><ul>${alarms.map((alarm) => html`<li>${alarm}</li>`)}</ul>`
      }
      ${warnings.map((warning) => html`<p><b>Warning:</b> ${warning}</p>`)}
      <div class="table"><table><caption>The queues</caption>
      <thead><tr><th scope="col">Queue</th><th scope="col">Workers</th><th scope="col">Waiting</th><th scope="col">Active</th><th scope="col">Failed</th></tr></thead>
      <tbody>${queues}</tbody></table></div>
      <ul>
      <li><a href="${to('/ops/queues/')}">Queues and jobs</a></li>
      <li><a href="${to('/ops/dead-letters')}">Dead letters</a>: ${countText(checks.outbox.dead_letters)}</li>
      <li><a href="${to('/ops/health')}">Health, for a monitor</a></li>
      <li><a href="${to('/metrics')}">Metrics, for Prometheus</a></li>
      </ul>
      <h2>Trace</h2>
      <form method="get" action="${to('/ops/trace')}">
      <p><label for="id">The id of an event, a mail (its Message-ID) or a request</label><br>
      <input id="id" name="id" maxlength="300" required autocomplete="off"> <button>Trace</button></p>
      </form>`,
  }
}

export function tracePage({ kind, id, events }: PresentedTrace, { to }: Links): HtmlPage {
  return {
    title: `Trace of ${kind} ${id}`,
    description: 'From the request to the mails.',
    body: html`<p class="trail"><a href="${to('/ops')}">Operations</a></p>
      <h1>Trace of ${kind} ${id}</h1>
      ${events.map((event) => eventPart(event, to))}`,
  }
}

function eventPart(event: PresentedTrace['events'][number], to: Links['to']): SafeHtml {
  const more = event.mails_count - event.mails.length
  return html`<h2><a href="${to(`/ops/trace/${event.id}`)}">Event ${event.id}</a>: ${event.type} of ${event.subject_id}</h2>
    <p class="quiet">${event.created_at} · ${actorText(event)} ·
    ${event.request_id === null ? 'no request' : html`request <a href="${to(`/ops/trace/${event.request_id}`)}">${event.request_id}</a>`}</p>
    <ul>${event.deliveries.map(deliveryLine)}</ul>
    ${event.mails.length === 0 ? '' : html`<h3>Mails</h3><ul>${event.mails.map((mail) => mailLine(mail, to))}</ul>`}
    ${more > 0 ? html`<p class="quiet">and ${more} more</p>` : ''}`
}

function actorText({ named, actor_id }: PresentedTrace['events'][number]): string {
  if (!named) return 'about an anonymous report, without names'
  return actor_id === null ? 'by the service' : `by user ${actor_id}`
}

function deliveryLine(delivery: PresentedTrace['events'][number]['deliveries'][number]): SafeHtml {
  const when = delivery.delivered_at ?? delivery.dead_at ?? `due ${delivery.due_at}`
  return html`<li><b>${delivery.handler}</b> (${delivery.queue ?? 'unknown here'}): ${delivery.status}, ${when}, requeues: ${delivery.requeues}
    ${delivery.last_error === null ? '' : html`<br>${delivery.last_error}`}
    ${delivery.jobs.map((job) => html`<br><span class="quiet">job ${job.id}: ${job.state}</span>`)}</li>`
}

function mailLine(mail: PresentedTrace['events'][number]['mails'][number], to: Links['to']): SafeHtml {
  const when = mail.sent_at ?? mail.failed_at ?? ''
  return html`<li><a href="${to(`/ops/trace/${mail.message_id}`)}">${mail.message_id}</a> to ${mail.to ?? 'a hidden address'}: ${mail.status} ${when}, attempts: ${mail.attempts}
    ${mail.response === null ? '' : html`<br><span class="quiet">${mail.response}</span>`}</li>`
}

const countText = (count: number | null) => (count === null ? '?' : String(count))
