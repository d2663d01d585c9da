import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { html, type SafeHtml } from '@remix-run/html-template'

import { listNewestComments } from '../comments/queries.ts'
import { viewAround } from '../geo/box.ts'
import { findLastChange } from '../http/last-change.ts'
import { problems } from '../http/problems.ts'
import { listDetails } from '../issues/details-queries.ts'
import { lastIssueChange } from '../issues/freshness.ts'
import { type IssueDot, listIssueDots } from '../issues/map-queries.ts'
import { toExtendedIssue } from '../issues/present.ts'
import { findIssue, findOwnReport, type IssueRow } from '../issues/queries.ts'
import { DETAILS_MAX, type ExtendedIssue, IssueParams } from '../issues/schema.ts'
import { listOutlinesIn, type Outline } from '../places/outline-queries.ts'
import { lastPlaceChange, listPlacesAround, type PlaceRow } from '../places/queries.ts'
import type { Services } from '../services.ts'
import { statusBadge } from './cards.ts'
import { typedIn } from './form-input.ts'
import { type Links, linksOf, webLink } from './links.ts'
import { mapSvg } from './map-svg.ts'
import { sendPage } from './page.ts'
import { beginningOf, countText, momentOf, numberText } from './words.ts'

const MAP_WIDTH = 720
const NEIGHBOURHOOD_ZOOM = 15
const DOTS_MAX = 1_000
const RINGS_M = [500, 1_000]

export const issuePage: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  app.get('/issues/:id', { schema: { params: IssueParams } }, async (request, reply) => {
    const { viewer } = request
    const { id } = request.params
    const lastModified = await findLastChange(db, [...lastIssueChange, ...lastPlaceChange], viewer)
    const row = await findIssue(db, id, viewer)
    if (!row) throw problems.notFound('The issue')
    const box = viewAround(row, NEIGHBOURHOOD_ZOOM)
    const [[details], comments, places, outlines, dots] = await Promise.all([
      listDetails(db, [id], viewer),
      listNewestComments(db, [id], DETAILS_MAX),
      listPlacesAround(db, row),
      listOutlinesIn(db, box, MAP_WIDTH),
      listIssueDots(db, { area: { kind: 'box', box }, statuses: ['Open', 'Acknowledged', 'Closed'] }, DOTS_MAX),
    ])
    if (!details) throw problems.notFound('The issue')
    const issue = toExtendedIssue(row, details, comments, urls)
    const links = linksOf(urls)
    const own = viewer && (await findOwnReport(db, id, viewer.id))
    const ofReporter = own ? forReporter(own, typedIn(request.query)['reported'] === 'now') : ''
    return sendPage(
      request,
      reply,
      urls,
      {
        title: beginningOf(issue.summary, 80),
        description: beginningOf([issue.status, issue.address, issue.description].filter(Boolean).join(' · ')),
        canonical: `/issues/${id}`,
        image: issue.media.image_full,
        body: html`${trail(places, links)}
          <article>
            ${heading(issue, links)}
            ${ofReporter}
            <div class="beside">
              ${neighbourhood(row, outlines, dots)}
              <div>
                ${issue.description ? html`<p class="text">${issue.description}</p>` : ''}
                ${picture(issue, links)}
                ${steps(issue)}
                ${facts(issue, places[0], links)}
              </div>
            </div>
            ${answers(issue)}
            ${conversation(issue, links)}
            <p class="quiet"><a href="${links.here(issue.url)}">This issue as JSON</a> ·
              <a href="${links.here(issue.flag_url)}">Flag it</a> ·
              Short link: <a href="${links.here(issue.shortened_url)}">${issue.shortened_url}</a></p>
          </article>`,
      },
      lastModified,
    )
  })
}

function trail(places: readonly PlaceRow[], { to }: Links): SafeHtml {
  const [place] = places
  const home = html`<a href="${to('/places')}">Places</a>`
  if (!place) return html`<p class="trail">${home}</p>`
  return html`<p class="trail">${home} › <a href="${to(`/places/${place.url_name}`)}">${place.name}</a></p>`
}

function heading({ media, summary, status, address }: ExtendedIssue, { here }: Links): SafeHtml {
  return html`<header class="heading">
    <img src="${here(media.image_square_100x100 ?? media.representative_image_url)}" width="64" height="64" alt="">
    <div><h1>${summary}</h1><p>${statusBadge(status)}${address ? ` · ${address}` : ''}</p></div>
  </header>`
}

/** What only the reporter is told on the page of their report. */
function forReporter({ held, anonymous }: { held: boolean; anonymous: boolean }, isNew: boolean): SafeHtml {
  const unnamed = anonymous ? html`<p>Others see it without your name.</p>` : ''
  if (held)
    return html`<div class="done" role="status">
      <p><b>${isNew ? 'Thank you. ' : ''}A moderator looks at your report before others see it.</b> Until then it stands on this page
        only, for you and the moderators.</p>${unnamed}
    </div>`
  return html`<div class="done" role="status">
    <p><b>${isNew ? 'Thank you for your report.' : 'This is your report.'}</b>
      ${isNew ? 'It is public from now on. You follow it: once your e-mail address is confirmed, news of it comes by mail.' : ''}</p>${unnamed}
  </div>`
}

function neighbourhood(row: IssueRow, outlines: readonly Outline[], dots: readonly IssueDot[]): SafeHtml {
  const near = dots.filter(({ id }) => id !== row.id)
  const map = mapSvg({
    label: `Map of the neighbourhood with this issue in the middle and ${countText(near.length, 'other issue')} around it`,
    centre: row,
    view: viewAround(row, NEIGHBOURHOOD_ZOOM),
    outlines: outlines.map(({ boundary }) => boundary),
    dots: near,
    pin: row,
    rings_m: RINGS_M,
    width: MAP_WIDTH,
  })
  return html`<figure class="frame">${map}
    <figcaption class="quiet">The rings are 500 metres and 1 kilometre away; the dots are other current issues.</figcaption>
  </figure>`
}

function picture({ media, summary }: ExtendedIssue, { here }: Links): SafeHtml {
  const photo = media.image_full ? html`<img class="photo" src="${here(media.image_full)}" alt="Picture of: ${summary}">` : ''
  return html`${photo} ${videoLink(media.video_url)}`
}

function videoLink(url: string | null): SafeHtml | string {
  const video = webLink(url)
  return video === null ? '' : html`<p><a href="${video}" rel="nofollow noopener noreferrer">Watch the video</a></p>`
}

function steps(issue: ExtendedIssue): SafeHtml {
  const taken = [
    { name: 'Reported', at: issue.created_at, colour: 'open' },
    { name: 'Acknowledged', at: issue.acknowledged_at, colour: 'acknowledged' },
    { name: 'Closed', at: issue.closed_at, colour: 'closed' },
    { name: 'Reopened', at: issue.reopened_at, colour: 'open' },
  ]
    .flatMap(({ at, ...step }) => (at === null ? [] : [{ ...step, at }]))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  const items = taken.map(({ name, at, colour }) => html`<li class="${colour}"><b>${name}</b> ${momentOf(at)}</li>`)
  return html`<ol class="steps">${items}</ol>`
}

function facts(issue: ExtendedIssue, place: PlaceRow | undefined, { to }: Links): SafeHtml {
  const { request_type: type, reporter, assignee } = issue
  const known: readonly (readonly [name: string, value: SafeHtml | string | null | undefined])[] = [
    ['Reported by', reporter.name],
    ['Kind', type.title],
    ['Looked after by', type.organization],
    ['Assigned to', assignee?.name],
    ['Votes', numberText(issue.vote_count)],
    ['Place', place && html`<a href="${to(`/places/${place.url_name}`)}">${place.name}</a>`],
    ['Position', `${issue.lat.toFixed(5)}, ${issue.lng.toFixed(5)}`],
    ['Last change', momentOf(issue.updated_at)],
  ]
  const rows = known.map(([name, value]) => (value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : ''))
  return html`<dl class="facts">${rows}</dl>`
}

function answers({ questions }: ExtendedIssue): SafeHtml | string {
  if (questions.length === 0) return ''
  const rows = questions.map(({ question, answer }) => html`<dt>${question}</dt><dd>${answer}</dd>`)
  return html`<section><h2>Answers</h2><dl class="answers">${rows}</dl></section>`
}

function conversation({ comments, comments_count: count, comments_url: all }: ExtendedIssue, links: Links): SafeHtml {
  const list = html`<ol class="comments">${comments.map((comment) => oneComment(comment, links))}</ol>`
  return html`<section aria-labelledby="comments">
    <h2 id="comments">${countText(count, 'comment')}</h2>
    ${count > comments.length ? html`<p class="quiet">These are the newest; <a href="${links.here(all)}">all of them as JSON</a>.</p>` : ''}
    ${comments.length > 0 ? list : html`<p class="empty">Nobody has written anything yet.</p>`}
  </section>`
}

function oneComment(
  { id, comment, commenter, created_at, media, flag_url }: ExtendedIssue['comments'][number],
  { here }: Links,
): SafeHtml {
  const alt = `Picture that ${commenter.name} added`
  return html`<li class="card" id="comment-${id}">
    <img src="${here(commenter.avatar.square_100x100)}" width="40" height="40" alt="">
    <div>
      <p><b>${commenter.name}</b> <span class="quiet">${momentOf(created_at)}</span></p>
      <p class="text">${comment}</p>
      ${media.image_full ? html`<img class="photo" src="${here(media.image_full)}" alt="${alt}">` : ''}
      ${videoLink(media.video_url)}
      <p class="quiet"><a href="${here(flag_url)}">Flag</a></p>
    </div>
  </li>`
}
