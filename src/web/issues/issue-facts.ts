import { html, type SafeHtml } from '../../html/template.ts'
import type { ExtendedIssue } from '../../issues/schema.ts'
import type { PlaceRow } from '../../places/queries.ts'
import { statusBadge } from './cards.ts'
import { type Links, toHttpUrl } from '../../html/links.ts'
import { formatDateTime, formatNumber } from '../../html/format.ts'

export function breadcrumbs(places: readonly PlaceRow[], { to }: Links): SafeHtml {
  const [place] = places
  const home = html`<a href="${to('/places')}">Places</a>`
  if (!place) return html`<p class="trail">${home}</p>`
  return html`<p class="trail">${home} › <a href="${to(`/places/${place.url_name}`)}">${place.name}</a></p>`
}

export function issueHeader({ media, summary, status, address }: ExtendedIssue, { relative }: Links): SafeHtml {
  return html`<header class="heading">
    <img src="${relative(media.image_square_100x100 ?? media.representative_image_url)}" width="64" height="64" alt="">
    <div><h1>${summary}</h1><p>${statusBadge(status)}${address ? ` · ${address}` : ''}</p></div>
  </header>`
}

export function imageAndVideo({ media, summary }: ExtendedIssue, { relative }: Links): SafeHtml {
  const photo = media.image_full ? html`<img class="photo" src="${relative(media.image_full)}" alt="Picture of: ${summary}">` : ''
  return html`${photo} ${videoLink(media.video_url)}`
}

export function videoLink(url: string | null): SafeHtml | string {
  const video = toHttpUrl(url)
  return video === null ? '' : html`<p><a href="${video}" rel="nofollow noopener noreferrer">Watch the video</a></p>`
}

export function statusHistory(issue: ExtendedIssue): SafeHtml {
  const steps = [
    { name: 'Reported', timestamp: issue.created_at, colour: 'open' },
    { name: 'Acknowledged', timestamp: issue.acknowledged_at, colour: 'acknowledged' },
    { name: 'Closed', timestamp: issue.closed_at, colour: 'closed' },
    { name: 'Reopened', timestamp: issue.reopened_at, colour: 'open' },
  ]
    .flatMap(({ timestamp, ...step }) => (timestamp === null ? [] : [{ ...step, timestamp }]))
    .sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0))
  const items = steps.map(
    ({ name, timestamp, colour }) => html`<li class="${colour}"><b>${name}</b> ${formatDateTime(timestamp)}</li>`,
  )
  return html`<ol class="steps">${items}</ol>`
}

export function factList(issue: ExtendedIssue, place: PlaceRow | undefined, { to }: Links): SafeHtml {
  const { request_type: type, reporter, assignee } = issue
  const facts: readonly (readonly [name: string, value: SafeHtml | string | null | undefined])[] = [
    ['Reported by', reporter.name],
    ['Type', type.title],
    ['Looked after by', type.organization],
    ['Assigned to', assignee?.name],
    ['Votes', formatNumber(issue.vote_count)],
    ['Place', place && html`<a href="${to(`/places/${place.url_name}`)}">${place.name}</a>`],
    ['Position', `${issue.lat.toFixed(5)}, ${issue.lng.toFixed(5)}`],
    ['Last change', formatDateTime(issue.updated_at)],
  ]
  const rows = facts.map(([name, value]) => (value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : ''))
  return html`<dl class="facts">${rows}</dl>`
}

export function answerList({ questions }: ExtendedIssue): SafeHtml | string {
  if (questions.length === 0) return ''
  const rows = questions.map(({ question, answer }) => html`<dt>${question}</dt><dd>${answer}</dd>`)
  return html`<section><h2>Answers</h2><dl class="answers">${rows}</dl></section>`
}
