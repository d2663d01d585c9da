import { html, type SafeHtml } from '../html/template.ts'
import { type Links } from '../html/links.ts'
import type { Page } from '../html/page.ts'
import type { healthOf } from './health.ts'
import type { ShownTrace } from './trace.ts'

type SeenHealth = ReturnType<typeof healthOf>

export function opsPage({ status, alarms, warnings, checks }: SeenHealth, { to }: Links): Page {
  const queues = Object.entries(checks.queues).map(
    ([name, queue]) =>
      html`<tr><th scope="row">${name}</th><td>${shown(queue.workers)}</td><td>${shown(queue.waiting)}</td><td>${shown(queue.active)}</td><td>${shown(queue.failed)}</td></tr>`,
  )
  return {
    title: 'Operations',
    description: 'How this service does.',
    body: html`<h1>Operations</h1>
      ${
        status === 'ok'
          ? html`<p>All is well.</p>`
          : html`<p><b>Somebody should look:</b></p><ul>${alarms.map((alarm) => html`<li>${alarm}</li>`)}</ul>`
      }
      ${warnings.map((warning) => html`<p><b>Warning:</b> ${warning}</p>`)}
      <div class="table"><table><caption>The queues</caption>
      <thead><tr><th scope="col">Queue</th><th scope="col">Workers</th><th scope="col">Waiting</th><th scope="col">Active</th><th scope="col">Failed</th></tr></thead>
      <tbody>${queues}</tbody></table></div>
      <ul>
      <li><a href="${to('/ops/queues/')}">The queues and their jobs</a></li>
      <li><a href="${to('/ops/dead')}">Effects that are tried no more</a>: ${shown(checks.effects.dead)}</li>
      <li><a href="${to('/ops/health')}">Health, for a monitor</a></li>
      <li><a href="${to('/metrics')}">Metrics, for Prometheus</a></li>
      </ul>
      <h2>What became of it?</h2>
      <form method="get" action="${to('/ops/trace')}">
      <p><label for="id">The id of an event, a mail (its Message-ID) or a request</label><br>
      <input id="id" name="id" maxlength="300" required autocomplete="off"> <button>Trace</button></p>
      </form>`,
  }
}

export function tracePage({ kind, id, events }: ShownTrace, { to }: Links): Page {
  return {
    title: `Trace of ${kind} ${id}`,
    description: 'From the request to the mails.',
    body: html`<p class="trail"><a href="${to('/ops')}">Operations</a></p>
      <h1>Trace of ${kind} ${id}</h1>
      ${events.map((event) => eventPart(event, to))}`,
  }
}

function eventPart(event: ShownTrace['events'][number], to: Links['to']): SafeHtml {
  const more = event.mails_count - event.mails.length
  return html`<h2><a href="${to(`/ops/trace/${event.id}`)}">Event ${event.id}</a>: ${event.type} of ${event.subject_id}</h2>
    <p class="quiet">${event.created_at} · ${doer(event)} ·
    ${event.request_id === null ? 'no request' : html`request <a href="${to(`/ops/trace/${event.request_id}`)}">${event.request_id}</a>`}</p>
    <ul>${event.effects.map(effectLine)}</ul>
    ${event.mails.length === 0 ? '' : html`<h3>Mails</h3><ul>${event.mails.map((mail) => mailLine(mail, to))}</ul>`}
    ${more > 0 ? html`<p class="quiet">and ${more} more</p>` : ''}`
}

function doer({ named, actor_id }: ShownTrace['events'][number]): string {
  if (!named) return 'about an anonymous report: nobody is named'
  return actor_id === null ? 'nobody did it' : `by user ${actor_id}`
}

function effectLine(effect: ShownTrace['events'][number]['effects'][number]): SafeHtml {
  const when = effect.delivered_at ?? effect.dead_at ?? `due ${effect.due_at}`
  return html`<li><b>${effect.handler}</b> (${effect.queue ?? 'unknown here'}): ${effect.status}, ${when}, queued again ${effect.attempts} times
    ${effect.last_error === null ? '' : html`<br>${effect.last_error}`}
    ${effect.jobs.map((job) => html`<br><span class="quiet">job ${job.id}: ${job.state}</span>`)}</li>`
}

function mailLine(mail: ShownTrace['events'][number]['mails'][number], to: Links['to']): SafeHtml {
  const when = mail.sent_at ?? mail.failed_at ?? ''
  return html`<li><a href="${to(`/ops/trace/${mail.message_id}`)}">${mail.message_id}</a> to ${mail.to ?? 'somebody'}: ${mail.status} ${when}, attempts: ${mail.attempts}
    ${mail.answer === null ? '' : html`<br><span class="quiet">${mail.answer}</span>`}</li>`
}

const shown = (count: number | null) => (count === null ? '?' : String(count))
