import { viewBox } from '../../geo/box.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { OWN_TEXT } from '../../moderation/decide.ts'
import { REASON_MAX, type ModerationItem } from '../../moderation/schema.ts'
import { editableFields } from '../../moderation/subject-texts.ts'
import type { Outline } from '../../places/outline-queries.ts'
import { statusBadge } from '../issues/cards.ts'
import { errorSummary, type FieldErrors, inputField, textareaField } from '../../html/fields.ts'
import { readText, type FormValues } from '../../html/form-input.ts'
import { type Links, toHttpUrl } from '../../html/links.ts'
import { mapSvg } from '../map/map-svg.ts'
import { reasonText } from './moderation-list-page.ts'
import {
  answerSubject,
  authorName,
  commentSubject,
  issueSubject,
  subjectMedia,
  subjectImage,
  subjectPlace,
  questionSubject,
  subjectNames,
  fieldText,
  subjectTitle,
} from './moderation-subject.ts'
import { fieldLabels, transitionTexts, stateTexts } from './moderation-texts.ts'
import type { HtmlPage } from '../../html/page.ts'
import { formatDateTime } from '../../html/format.ts'
import { inLanguage } from '../../errors/texts/in-language.ts'

export interface ItemPage {
  readonly item: ModerationItem
  readonly outlines: readonly Outline[]
  readonly values: FormValues
  readonly errors: FieldErrors
}

export const MAP_WIDTH = 720
export const MAP_ZOOM = 15
const RINGS_M = [500, 1_000]

export function moderationItemPage(links: Links, { item, outlines, values, errors }: ItemPage): HtmlPage {
  const { id, subject_type, state, created_at } = item
  const subjectName = subjectNames[subject_type]
  const fieldNames = [...editableFields[subject_type], 'reason']
  return {
    title: `Review this ${subjectName.toLowerCase()}`,
    description: 'Content that is pending review or was flagged, and the forms to decide on it.',
    body: html`<p class="trail"><a href="${links.to('/moderation')}">Moderation</a></p>
      <h1>Review this ${subjectName.toLowerCase()}</h1>
      <p class="quiet">By ${authorName(item)}, ${formatDateTime(created_at)}</p>
      ${decisionNotice(item)}
      ${errorSummary(errors, state === 'held' ? fieldNames : [])}
      <div class="two-columns">
        ${locationMap(item, outlines)}
        <div>
          ${reasonSection(item)}
          ${contextLinks(item, links)}
          ${currentContent(item, links)}
        </div>
      </div>
      ${originalTexts(item)}
      ${item.approve_url ? decisionForms(links.to(`/moderation/${id}`), item, values, errors) : state === 'held' ? html`<p class="empty">${inLanguage(OWN_TEXT, 'en')}</p>` : ''}`,
  }
}

function decisionNotice({ state, decided_by, decided_at, rejection_reason }: ModerationItem): SafeHtml | string {
  if (state === 'held' || decided_at === null) return ''
  return html`<div class="done"><p><b>${stateTexts[state]}</b> by ${decided_by?.name ?? 'the automatic checks'}, ${formatDateTime(decided_at)}.</p>
    ${rejection_reason ? html`<p class="text">${rejection_reason}</p>` : ''}</div>`
}

function reasonSection({ reasons, note, requested_move }: ModerationItem): SafeHtml {
  return html`<h2>Why it is here</h2>
    <ul>${(reasons ?? []).map((reason) => html`<li>${reasonText(reason)}.</li>`)}</ul>
    ${note ? html`<p><b>The automatic checks:</b> ${note}</p>` : ''}
    ${requested_move ? html`<p>The author also wants to <b>${transitionTexts[requested_move]}</b>. Whether this is allowed is checked when you approve it.</p>` : ''}`
}

function contextLinks(item: ModerationItem, { relative, to }: Links): SafeHtml | string {
  const issue = commentSubject(item)?.issue
  if (issue) return html`<p>On <a href="${relative(issue.html_url)}">${issue.summary}</a> ${statusBadge(issue.status)}</p>`
  const [question, place] = [answerSubject(item)?.question, subjectPlace(item)]
  if (!place) return ''
  return html`${question ? html`<p>To <a href="${relative(question.html_url)}">${question.question}</a></p>` : ''}
    <p>In <a href="${to(`/places/${place.id}`)}">${place.name}</a></p>`
}

function currentContent(item: ModerationItem, { relative }: Links): SafeHtml {
  if (!item.subject) return html`<p class="empty">This content no longer exists, so you can only reject it.</p>`
  const issue = issueSubject(item)
  const rows = editableFields[item.subject_type].flatMap((field) => {
    const text = fieldText(item, field)
    return text === '' ? [] : [html`<dt>${fieldLabels[field]}</dt><dd class="text">${text}</dd>`]
  })
  const answers = (issue?.questions ?? []).map(({ question, answer }) => html`<dt>${question}</dt><dd>${answer}</dd>`)
  const image = subjectImage(item)
  const video = toHttpUrl(subjectMedia(item)?.video_url ?? null)
  const page = issue ?? questionSubject(item)
  return html`<h2>Current version</h2>
    <dl class="answers">${rows}${answers}</dl>
    ${image ? html`<img class="photo" src="${relative(image.full)}" alt="Picture of ${subjectTitle(item)}">` : ''}
    ${video ? html`<p><a href="${video}" rel="nofollow noopener noreferrer">Watch the video</a></p>` : ''}
    ${page ? html`<p><a href="${relative(page.html_url)}">Open its page</a></p>` : ''}`
}

function locationMap(item: ModerationItem, outlines: readonly Outline[]): SafeHtml | string {
  const issue = issueSubject(item)
  if (!issue) return ''
  const map = mapSvg({
    label: 'Map of the neighbourhood with the report at its centre',
    centre: issue,
    view: viewBox(issue, MAP_ZOOM),
    outlines: outlines.map(({ boundary }) => boundary),
    pin: issue,
    rings_m: RINGS_M,
    width: MAP_WIDTH,
  })
  return html`<figure class="frame">${map}
    <figcaption class="quiet">${issue.lat.toFixed(5)}, ${issue.lng.toFixed(5)}. The rings have radii of 500 metres and 1 kilometre.</figcaption>
  </figure>`
}

function originalTexts(item: ModerationItem): SafeHtml | string {
  const changed = Object.entries(item.original).filter(
    ([field, text]) => text !== null && item.subject && fieldText(item, field) !== text,
  )
  if (changed.length === 0) return ''
  const rows = changed.map(([field, text]) => html`<dt>${fieldLabels[field] ?? field}</dt><dd class="text">${text}</dd>`)
  return html`<section><h2>Original version</h2><dl class="answers">${rows}</dl></section>`
}

function decisionForms(path: string, item: ModerationItem, values: FormValues, errors: FieldErrors): SafeHtml {
  const isFlagged = item.reasons?.includes('flagged') ?? false
  return html`${item.subject ? approvalForm(path, item, values, errors, isFlagged) : ''}
    <section class="narrow"><h2>Reject it</h2>
      <form method="post" action="${path}/reject">
        ${textareaField({
          name: 'reason',
          label: 'Reason',
          hint: `The author reads it, up to ${REASON_MAX.toLocaleString('en')} characters.`,
          value: readText(values, 'reason'),
          error: errors['reason'],
        })}
        <button class="second">Reject</button>
      </form></section>`
}

const isLong = (field: string) => ['description', 'comment', 'question', 'answer'].includes(field)

function approvalForm(path: string, item: ModerationItem, values: FormValues, errors: FieldErrors, isFlagged: boolean): SafeHtml {
  const value = (field: string) => (field in values ? readText(values, field) : fieldText(item, field))
  const fields = editableFields[item.subject_type].map((field) => {
    const common = { name: field, label: fieldLabels[field] ?? field, value: value(field), error: errors[field] }
    if (isLong(field)) return textareaField({ ...common, required: field !== 'description' })
    // Imported reports may have no address.
    return inputField({ ...common, required: field === 'summary' || fieldText(item, field) !== '' })
  })
  return html`<section class="narrow"><h2>${isFlagged ? 'Keep it' : 'Approve it'}</h2>
    <p class="quiet">${isFlagged ? 'It stays public.' : 'It becomes public at once.'} Your changes replace the author’s text. The original
      stays visible to the author and to moderators.</p>
    <form method="post" action="${path}/approve">${fields}<button>${isFlagged ? 'Keep' : 'Approve'}</button></form></section>`
}
