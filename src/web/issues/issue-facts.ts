import type { CommentRow } from '../../comments/queries.ts'
import { formatDuration, formatLocalDateTime, formatNumber, formatLocalDate, formatLocalTime } from '../../html/format.ts'
import { type Links, toHttpUrl } from '../../html/links.ts'
import { inLanguage, langAttribute } from '../../html/page.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { OfficialOrganization } from '../../issue-lifecycle/acting-organizations.ts'
import { transitions } from '../../issue-lifecycle/transitions.ts'
import type { StatusChangeRow } from '../../issues/history-queries.ts'
import type { ReportState } from '../../issues/single-issue.ts'
import type { Texts } from '../../locales/texts.ts'
import { translateType } from '../../request-types/present.ts'
import type { PromisedTimes } from '../../staff/targets/issue-target.ts'
import { userName } from '../../users/present.ts'
import type { UserSummary } from '../../users/schema.ts'
import { issueNumber, statusBadge } from '../cards/cards.ts'
import type { IssueView } from './issue-view.ts'

interface RedactLink {
  /** Its URL; the page has the same name. */
  readonly picture: string
  /** The alternative text of the picture. */
  readonly alt: string
  /** The page to return to: that of a moderation item, or of the issue. */
  readonly from: { readonly item: number } | { readonly issue: number }
  readonly texts: Texts
}

/** The link to the page where a moderator covers parts of a picture. */
export function redactLink({ picture, alt, from, texts }: RedactLink, { to }: Links): SafeHtml {
  const href = to(`/moderation/pictures/${picture.slice(picture.lastIndexOf('/') + 1)}`, { ...from })
  return html`<p class="quiet"><a href="${href}" aria-label="${texts('redactLink.label', { picture: alt })}">${texts('redactLink.text')}</a></p>`
}

/** Returns what the outcome of a closed issue means for its readers: who has it since when, or which issue it repeats. */
export function closingNotice({ issue, texts }: Pick<IssueView, 'issue' | 'texts'>, { to }: Links, now = new Date()) {
  const { outcome, passed_on_to, duplicate_of, previous_issue, closed_at } = issue
  const related = (key: 'closing.duplicateOf' | 'closing.reportedAgain', id: number) =>
    notice(richText(texts, key, { number: `#${id}`, issue: (text) => html`<a href="${to(`/issues/${id}`)}">${text}</a>` }))
  if (outcome === 'duplicate' && duplicate_of !== null) return related('closing.duplicateOf', duplicate_of)
  if (previous_issue !== null && outcome === null) return related('closing.reportedAgain', previous_issue)
  if (outcome !== 'passed_on' || closed_at === null) return ''
  const date = formatLocalDateTime(closed_at, texts.language, issue)
  const age = formatDuration(now.getTime() - Date.parse(closed_at), texts.language)
  return notice(
    passed_on_to === null
      ? richText(texts, 'closing.passedOnUnnamed', { date, age })
      : richText(texts, 'closing.passedOn', { who: html`<b>${passed_on_to}</b>`, date, age }),
  )
}

const notice = (text: SafeHtml) => html`<p class="note">${text}</p>`

/** Returns for example "2 of 3 say it is fixed", or nothing if no resident has answered. */
function confirmationText({ issue, texts }: Pick<IssueView, 'issue' | 'texts'>): SafeHtml | string {
  const { fixed, not_fixed } = issue.confirmations
  const total = fixed + not_fixed
  return total === 0 ? '' : html` · <b>${texts('closing.confirmations', { fixed, total })}</b>`
}

export function breadcrumbs({ places: [place], texts }: IssueView, { to }: Links): SafeHtml {
  const home = html`<a href="${to('/places')}">${texts('issue.places')}</a>`
  if (!place) return html`<p class="trail">${home}</p>`
  return html`<p class="trail">${home} › <a href="${to(`/places/${place.url_name}`)}">${place.name}</a></p>`
}

export function issueHeader(view: IssueView, { relative }: Links): SafeHtml {
  const { issue, report, texts } = view
  const { media, summary, address } = issue
  const state = report && report.moderation_state !== 'passed' ? report.moderation_state : undefined
  // The whole picture follows.
  return html`<header class="heading">
    ${media.images.length > 0 ? '' : html`<img src="${relative(media.representative_image_url)}" width="64" height="64" alt="">`}
    <div><h1>${summary}</h1><p>${state ? html`<b>${texts(`issue.notPublic.${state}`)}</b>` : html`${statusBadge(issue, texts.language)} ${issueAge(issue, texts)}`}${confirmationText(view)} · ${issueNumber(issue)}${address ? ` · ${address}` : ''}</p></div>
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

const mayRedact = (view: IssueView) => moderates(view) && !view.issue.current_user_relationship.reporter

export const moderates = ({ staff }: IssueView): boolean => staff?.issue.capabilities.includes('moderate') ?? false

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

export function reportNotice(view: IssueView, report: ReportState, isNew: boolean, links: Links): SafeHtml {
  const { moderation_state: state, anonymous, is_own, item_id, reason } = report
  const { texts } = view
  const { to } = links
  const nextSteps = isNew && is_own ? nextStepsSection(view, state, links) : ''
  const anonymousNote = anonymous && is_own ? html`<p>${texts('issue.withoutName')}</p>` : ''
  if (state === 'passed') {
    const isPublic = view.viewer?.isConfirmed ? texts('issue.isPublic') : texts('issue.isPublicUnconfirmed')
    return html`<div class="done" role="status">
      <p><b>${isNew ? texts('issue.thanks') : texts('issue.isYours')}</b>
        ${isNew ? isPublic : ''}</p>${anonymousNote}${nextSteps}
    </div>`
  }
  if (!is_own)
    return html`<div class="waiting">
      <p><b>${state === 'held' ? texts('issue.held') : texts('issue.rejected')}</b> ${texts('issue.visibleToReporter')}
        ${item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">${texts('issue.decide')}</a>`}</p>
    </div>`
  if (state === 'held')
    return html`<div class="done" role="status">
      <p><b>${isNew ? `${texts('issue.thankYou')} ` : ''}${texts('issue.yoursHeld')}</b> ${texts('issue.visibleToYouUntilThen')}</p>${anonymousNote}${nextSteps}
    </div>`
  return html`<div class="waiting">
    <p><b>${texts('issue.yoursRejected')}</b> ${texts('issue.visibleToYou')}</p>
    ${reason ? html`<p>${texts('issue.reason', { text: reason })}</p>` : ''}
  </div>`
}

const MAP_ZOOM = 16

/** The number of a new report, its link, and what happens next. */
function nextStepsSection(
  { issue, row, texts }: IssueView,
  state: ReportState['moderation_state'],
  { to, relative }: Links,
): SafeHtml {
  const { id, lat, lng, shortened_url } = issue
  const type = row.request_type && translateType(row.request_type, texts.language)
  const handling = type?.organization
    ? richText(texts, 'reportNotice.nextByOrganization', {
        organization: inLanguage(type.organization, type.organization_language, texts.language),
      })
    : texts('reportNotice.nextByCommunity')
  return html`<p>${texts('reportNotice.number', { id })} ${texts('reportNotice.link')} <a href="${relative(shortened_url)}">${shortened_url}</a></p>
    <p><b>${texts('reportNotice.next')}</b></p>
    <p>${state === 'held' ? `${texts('reportNotice.nextAfterReview')} ` : ''}${handling}</p>
    <p class="buttons"><a class="button" href="${to('/', { lat, lng, zoom: MAP_ZOOM })}">${texts('reportNotice.onMap')}</a> <a class="button" href="${to('/report', { view: `${MAP_ZOOM}/${lat}/${lng}` })}">${texts('reportNotice.another')}</a></p>`
}

type Author = Pick<UserSummary, 'id' | 'role'>

/** The author of an entry, with the organisation for which an official acts on this issue. */
export interface Official {
  readonly kind: 'official' | 'verifiedOfficial' | 'admin'
  readonly organization: OfficialOrganization | null
}

/** Returns whether only employees of a responsible organisation, and Admins, may make the change. */
const needsEmployee = ({ from_status, to_status }: StatusChangeRow) =>
  transitions.some(
    ({ from, to, trigger }) => from === from_status && to === to_status && 'role' in trigger && trigger.role === 'employee',
  )

/** A member who may not work on the issue closes it as a resident. */
const isByResident = ({ outcome }: StatusChangeRow) => outcome === 'reported_fixed'

export function createOfficials({ row, changes, organizations, texts }: IssueView) {
  const residentComments = new Set(changes.filter(isByResident).map(({ comment_id }) => comment_id))
  const type = row.request_type && translateType(row.request_type, texts.language)
  const responsible = type?.organization
    ? { name: type.organization, language: type.organization_language ?? texts.language, shows_people: false }
    : null
  const officialComments = new Set(changes.filter(needsEmployee).map(({ comment_id }) => comment_id))
  /** An official who made a change may have left the organisation since, and an author of unknown role may be deleted. */
  const toOfficial = (id: number | undefined, changedAsEmployee: boolean): Official => {
    const organization = (id === undefined ? undefined : organizations.get(id)) ?? null
    if (organization !== null) return { kind: 'official', organization }
    return changedAsEmployee ? { kind: 'official', organization: responsible } : { kind: 'verifiedOfficial', organization: null }
  }

  return {
    ofComment({ id, commenter }: Pick<CommentRow, 'id'> & { readonly commenter: Author | null }): Official | undefined {
      if (residentComments.has(id)) return undefined
      if (commenter?.role === 'Admin') return { kind: 'admin', organization: null }
      const changedAsEmployee = officialComments.has(id)
      return changedAsEmployee || commenter?.role === 'Verified Official' ? toOfficial(commenter?.id, changedAsEmployee) : undefined
    },
    ofChange(change: StatusChangeRow): Official | undefined {
      if (isByResident(change)) return undefined
      if (change.actor_role === 'Admin') return { kind: 'admin', organization: null }
      // Only employees make changes without a comment: they undo a run.
      return change.actor_id !== null || needsEmployee(change) ? toOfficial(change.actor_id ?? undefined, true) : undefined
    },
  }
}

export type Officials = ReturnType<typeof createOfficials>

export function officialBadge(official: Official | undefined, texts: Texts): SafeHtml | string {
  if (!official) return ''
  const name = texts(`officialComment.${official.kind}`)
  const { organization } = official
  return html`<span class="official">${name}${organization === null ? '' : html` · ${inLanguage(organization.name, organization.language, texts.language)}`}</span>`
}
