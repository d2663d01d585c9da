import type { Texts } from '../../locales/texts.ts'
import { inLanguage, langAttribute } from '../../html/lang.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { translateType } from '../../request-types/present.ts'
import type { PromisedTimes } from '../../staff/targets/issue-target.ts'
import { userName } from '../../users/present.ts'
import { issueNumber, statusBadge } from '../cards/cards.ts'
import { type Links, toHttpUrl } from '../../html/links.ts'
import { confirmationText } from './closing-notice.ts'
import { redactLink } from './redact-link.ts'
import { formatNumber } from '../../html/format.ts'
import { formatDuration, formatLocalDate, formatLocalDateTime, formatLocalTime } from '../../html/local-format.ts'
import type { IssueView } from './issue-view.ts'

export function breadcrumbs({ places: [place], texts }: IssueView, { to }: Links): SafeHtml {
  const home = html`<a href="${to('/places')}">${texts('issue.places')}</a>`
  if (!place) return html`<p class="trail">${home}</p>`
  return html`<p class="trail">${home} › <a href="${to(`/places/${place.url_name}`)}">${place.name}</a></p>`
}

export function issueHeader(view: IssueView, { relative }: Links): SafeHtml {
  const { issue, texts } = view
  const { media, summary, address } = issue
  return html`<header class="heading">
    <img src="${relative(media.image_square_100x100 ?? media.representative_image_url)}" width="64" height="64" alt="">
    <div><h1>${summary}</h1><p>${statusBadge(issue, texts.language)}${confirmationText(view)} ${issueAge(issue, texts)} · ${issueNumber(issue)}${address ? ` · ${address}` : ''}</p></div>
  </header>`
}

export function imagesAndVideo(view: IssueView, links: Links): SafeHtml {
  const { issue, texts } = view
  const { media, summary } = issue
  const { images } = media
  const pair = beforeAndAfter(view, links)
  const photos = images.map((url, index) => {
    // The pair shows the first picture.
    if (index === 0 && pair !== '' && !mayRedact(view)) return ''
    const alt =
      images.length === 1
        ? texts('issue.picture', { summary })
        : texts('issue.pictureOf', { position: index + 1, count: images.length, summary })
    const redact = mayRedact(view) ? redactLink({ picture: url, alt, from: { issue: issue.id }, texts }, links) : ''
    return html`<img class="photo" src="${links.relative(url)}" alt="${alt}"${index === 0 ? '' : html` loading="lazy"`}>${redact}`
  })
  return html`${pair}${photos} ${videoLink(media.video_url, texts)}`
}

export function videoLink(url: string | null, texts: Texts): SafeHtml | string {
  const video = toHttpUrl(url)
  return video === null ? '' : html`<p><a href="${video}" rel="nofollow noopener noreferrer">${texts('issue.watchVideo')}</a></p>`
}

export function statusHistory({ issue, texts }: IssueView): SafeHtml {
  const steps = [
    { name: texts('issue.steps.Open'), timestamp: issue.created_at, colour: 'open' },
    { name: texts('issue.steps.Acknowledged'), timestamp: issue.acknowledged_at, colour: 'acknowledged' },
    { name: texts('issue.steps.Closed'), timestamp: issue.closed_at, colour: 'closed' },
    { name: texts('issue.steps.reopened'), timestamp: issue.reopened_at, colour: 'open' },
  ]
    .flatMap(({ timestamp, ...step }) => (timestamp === null ? [] : [{ ...step, timestamp }]))
    .sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0))
  const items = steps.map(
    ({ name, timestamp, colour }) =>
      html`<li class="${colour}"><b>${name}</b> ${formatLocalDateTime(timestamp, texts.language, issue)}</li>`,
  )
  return html`<ol class="steps">${items}</ol>`
}

export function factList({ issue, row, places: [place], duplicates, promised, texts }: IssueView, { to }: Links): SafeHtml {
  const { reporter, assignee } = issue
  const type = row.request_type && translateType(row.request_type, texts.language)
  const facts: readonly (readonly [name: string, value: SafeHtml | string | null | undefined])[] = [
    [texts('issue.reporter'), userName(reporter, texts.language)],
    [texts('issue.type'), type && inLanguage(type.title, type.language, texts.language)],
    [
      texts('issue.organization'),
      type?.organization &&
        html`<a href="${to(`/organizations/${type.organization_id}`)}">${inLanguage(type.organization, type.organization_language, texts.language)}</a>`,
    ],
    [texts('issue.assignee'), assignee?.name],
    ...(promised ? promisedTimes(issue, promised, texts) : []),
    [texts('issue.votes'), formatNumber(issue.vote_count, texts.language)],
    [texts('issue.place'), place && html`<a href="${to(`/places/${place.url_name}`)}">${place.name}</a>`],
    [
      texts('issue.duplicates'),
      duplicates.length === 0
        ? null
        : html`${duplicates.map(({ issue_id, merged_at }) => html`<a href="${to(`/issues/${issue_id}`)}">#${issue_id}</a> ${formatLocalDate(merged_at.toISOString(), texts, issue)}<br>`)}`,
    ],
    [texts('issue.position'), `${issue.lat.toFixed(5)}, ${issue.lng.toFixed(5)}`],
    [texts('issue.changed'), formatLocalTime(issue.updated_at, texts, issue)],
  ]
  const rows = facts.map(([name, value]) => (value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : ''))
  return html`<dl class="facts">${rows}</dl>`
}

function promisedTimes(issue: IssueView['issue'], { acknowledge_by, close_by }: PromisedTimes, texts: Texts) {
  const time = (at: Date | null) => at && formatLocalDateTime(at.toISOString(), texts.language, issue)
  return [
    [texts('issue.promised.acknowledge'), issue.acknowledged_at === null ? time(acknowledge_by) : null],
    [texts('issue.promised.close'), time(close_by)],
  ] as const
}

export function answerList(view: IssueView, links: Links): SafeHtml | string {
  const { issue, answers, texts } = view
  if (answers.length === 0) return ''
  const rows = answers.map(({ question, question_language, answer, answer_language }) => {
    const canBeRedacted = mayRedact(view) && isOwnPicture(answer, links)
    const redact = canBeRedacted ? redactLink({ picture: answer, alt: question, from: { issue: issue.id }, texts }, links) : ''
    return html`<dt${langAttribute(question_language, texts.language)}>${question}</dt><dd>${inLanguage(answer, answer_language, texts.language)}${redact}</dd>`
  })
  return html`<section><h2>${texts('issue.answers')}</h2><dl class="answers">${rows}</dl></section>`
}

const mayRedact = ({ viewer, issue }: IssueView) => viewer?.isModerator === true && !issue.current_user_relationship.reporter

/** The answer to a question of the type `file` is the URL of a picture. A text with such a URL only gets a link to a page that is 404. */
const isOwnPicture = (answer: string, { relative, to }: Links) => relative(answer).startsWith(to('/files/pictures/'))

/** The picture of the report next to that of the last closing; empty if the issue is not closed or one of them is missing. */
function beforeAndAfter({ issue, changes, texts }: IssueView, { relative }: Links): SafeHtml | '' {
  const closing = changes.findLast(({ to_status }) => to_status === 'Closed')
  const isClosed = issue.status === 'Closed' || issue.status === 'Archived'
  const after = issue.comments.find(({ id }) => id === closing?.comment_id)
  const [before] = issue.media.images
  if (!isClosed || before === undefined || !after?.media.image_full) return ''
  const picture = (url: string, part: 'before' | 'after', at: string) =>
    html`<figure><img class="photo" src="${relative(url)}" alt="${texts(`issue.${part}Picture`, { summary: issue.summary })}">
      <figcaption><b>${texts(`issue.${part}`)}</b> <span class="quiet">${formatLocalDate(at, texts, issue)}</span></figcaption></figure>`
  return html`<div class="before-and-after">${picture(before, 'before', issue.created_at)}${picture(after.media.image_full, 'after', after.created_at)}</div>`
}

/** Returns for example "for 3 weeks" or "after 8 days", which follow the name of the status. */
function issueAge({ status, created_at, reopened_at, closed_at }: IssueView['issue'], texts: Texts, now = new Date()): SafeHtml {
  const isClosed = status === 'Closed' || status === 'Archived'
  const [from, to] = isClosed ? [created_at, closed_at ?? created_at] : [reopened_at ?? created_at, now.toISOString()]
  const age = formatDuration(Date.parse(to) - Date.parse(from), texts.language)
  return html`<span class="age">${texts(`issue.age.${status}`, { age })}</span>`
}
