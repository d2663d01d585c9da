import { inLanguage, type Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import type { Point } from '../../geo/shapes.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { OWN_TEXT } from '../../moderation/decide.ts'
import { REASON_MAX, type ModerationItem } from '../../moderation/schema.ts'
import { editableFields } from '../../moderation/subject-texts.ts'
import { createForm, type Form, readText, type FormValues, type FormState } from '../../html/form.ts'
import { type Links, toHttpUrl } from '../../html/links.ts'
import { redactLink } from '../issues/issue-facts.ts'
import type { MapLayers } from '../map/drawn/map-layers.ts'
import { mapSvg } from '../map/drawn/map-svg.ts'
import { decision } from './moderation-list-page.ts'
import {
  authorName,
  issueSubject,
  subjectMedia,
  subjectImages,
  questionSubject,
  userSubject,
  fieldText,
} from './moderation-subject.ts'
import { subjectContext } from './subject-context.ts'
import { reasonText } from './reason-text.ts'
import type { HtmlPage } from '../../html/page.ts'
import { formatNumber, formatDistance, formatLocalTime } from '../../html/format.ts'

export interface ItemPage extends Required<FormState> {
  readonly item: ModerationItem
  /** True if the moderator wrote the content. */
  readonly isOwn: boolean
  /** The value is undefined for an item that is no issue. */
  readonly layers: MapLayers | undefined
  /** The time zone of this point is that of the times. */
  readonly point: Point | undefined
}

export const MAP_ZOOM = 15
const RINGS_M = [500, 1_000] as const

/** Every part of the page gets this. */
interface Context {
  readonly links: Links
  readonly item: ModerationItem
  readonly isOwn: boolean
  readonly texts: Texts
}

export function moderationItemPage(links: Links, { item, isOwn, layers, point, values, errors }: ItemPage, texts: Texts): HtmlPage {
  const { subject_type, state, created_at } = item
  const context = { links, item, isOwn, texts, language: texts.language }
  const title = texts(`moderation.subjects.${subject_type}.review`)
  const form = createForm(texts.language, { values, errors })
  const forms = item.approve_url ? decisionForms(context, values, form) : ''
  return {
    title,
    description: texts('moderation.itemDescription'),
    body: html`<p class="trail"><a href="${links.to('/moderation')}">${texts('moderation.title')}</a></p>
      <h1>${title}</h1>
      <p class="quiet">${texts('moderation.by', { author: authorName(item, texts) })}, ${formatLocalTime(created_at, texts, point)}</p>
      ${decisionNotice(context, point)}
      ${form.errorSummary()}
      <div class="two-columns">
        ${locationMap(context, layers)}
        <div>
          ${reasonSection(context)}
          ${subjectContext(item, context)}
          ${currentContent(context)}
        </div>
      </div>
      ${originalTexts(context)}
      ${item.approve_url ? forms : state === 'held' ? html`<p class="empty">${inLanguage(OWN_TEXT, texts.language)}</p>` : ''}`,
  }
}

function decisionNotice(context: Context, point: Point | undefined): SafeHtml | string {
  const { state, decided_at, rejection_reason } = context.item
  if (state === 'held' || decided_at === null) return ''
  return html`<div class="done"><p>${decision(context, context.item, point)}.</p>
    ${rejection_reason ? html`<p class="text">${rejection_reason}</p>` : ''}</div>`
}

function reasonSection({ item: { reasons, note, requested_move }, texts }: Context): SafeHtml {
  return html`<h2>${texts('moderation.why')}</h2>
    <ul>${(reasons ?? []).map((reason) => html`<li>${reasonText(texts, reason)}.</li>`)}</ul>
    ${note ? html`<p><b>${texts('moderation.checksSay')}</b> <span lang="en">${note}</span></p>` : ''}
    ${requested_move ? html`<p>${richText(texts, 'moderation.requestedMove', { move: html`<b>${texts(`moderation.moves.${requested_move}`)}</b>` })}</p>` : ''}`
}

function currentContent({ item, isOwn, links, texts }: Context): SafeHtml {
  const { relative } = links
  if (!item.subject) return html`<p class="empty">${texts('moderation.gone')}</p>`
  const issue = issueSubject(item)
  const rows = editableFields[item.subject_type].flatMap((field) => {
    const text = fieldText(item, field)
    return text === '' ? [] : [html`<dt>${texts(`moderation.fields.${field}`)}</dt><dd class="text">${text}</dd>`]
  })
  const answers = (issue?.questions ?? []).map(({ question, answer }) => html`<dt>${question}</dt><dd>${answer}</dd>`)
  const images = subjectImages(item)
  const alt = texts(`moderation.subjects.${item.subject_type}.picture`)
  const video = toHttpUrl(subjectMedia(item)?.video_url ?? null)
  const user = userSubject(item)
  const page = issue ?? questionSubject(item) ?? user
  // The picture of a user is removed as a whole.
  const mayRedact = !isOwn && !user
  return html`<h2>${texts('moderation.currentVersion')}</h2>
    <dl class="answers">${rows}${answers}</dl>
    ${images.map((url) => html`<img class="photo" src="${relative(url)}" alt="${alt}">${mayRedact ? redactLink({ picture: url, alt, from: { item: item.id }, texts }, links) : ''}`)}
    ${video ? html`<p><a href="${video}" rel="nofollow noopener noreferrer">${texts('moderation.video')}</a></p>` : ''}
    ${page?.html_url ? html`<p><a href="${relative(page.html_url)}">${texts('moderation.openPage')}</a></p>` : ''}`
}

function locationMap({ item, texts }: Context, layers: MapLayers | undefined): SafeHtml | string {
  const issue = issueSubject(item)
  if (!issue || !layers) return ''
  const [near, far] = [formatDistance(RINGS_M[0], texts, issue), formatDistance(RINGS_M[1], texts, issue)]
  const map = mapSvg({
    label: texts('moderation.map'),
    ...layers,
    pin: issue,
    rings_m: RINGS_M,
  })
  return html`<figure class="frame">${map}
    <figcaption class="quiet">${issue.lat.toFixed(5)}, ${issue.lng.toFixed(5)}. ${texts('moderation.rings', { near, far })}</figcaption>
  </figure>`
}

function originalTexts({ item, texts }: Context): SafeHtml | string {
  const changed = Object.entries(item.original).filter(
    ([field, text]) => text !== null && item.subject && fieldText(item, field) !== text,
  )
  if (changed.length === 0) return ''
  const names = texts.section('moderation.fields')
  const rows = changed.map(([field, text]) => html`<dt>${names[field] ?? field}</dt><dd class="text">${text}</dd>`)
  return html`<section><h2>${texts('moderation.originalVersion')}</h2><dl class="answers">${rows}</dl></section>`
}

function decisionForms(context: Context, values: FormValues, form: Form): SafeHtml {
  const { item, links, texts } = context
  const hint = texts('moderation.reasonHint', { max: formatNumber(REASON_MAX, texts.language) })
  return html`${item.subject ? approvalForm(context, values, form) : ''}
    <section class="narrow"><h2>${texts('moderation.rejectTitle')}</h2>
      ${item.subject_type === 'user' ? html`<p class="quiet">${texts('moderation.rejectUserHint')}</p>` : ''}
      <form method="post" action="${links.to(`/moderation/${item.id}/reject`)}">
        ${form.textarea('reason', texts('moderation.reason'), { hint, required: true })}
        <button class="second">${texts('moderation.reject')}</button>
      </form></section>`
}

const isLong = (field: string) => ['description', 'comment', 'question', 'answer'].includes(field)

function approvalForm({ item, links, texts }: Context, values: FormValues, form: Form): SafeHtml {
  const isFlagged = item.reasons?.includes('flagged') ?? false
  const value = (field: string) => (field in values ? readText(values, field) : fieldText(item, field))
  const fields = editableFields[item.subject_type].map((field) => {
    const label = texts(`moderation.fields.${field}`)
    if (isLong(field)) return form.textarea(field, label, { value: value(field), required: field !== 'description' })
    // Imported reports may have no address.
    const required = field === 'summary' || field === 'name' || fieldText(item, field) !== ''
    return form.input(field, label, { value: value(field), required })
  })
  return html`<section class="narrow"><h2>${isFlagged ? texts('moderation.keepTitle') : texts('moderation.approveTitle')}</h2>
    <p class="quiet">${isFlagged ? texts('moderation.keepHint') : texts('moderation.approveHint')} ${texts('moderation.editHint')}</p>
    <form method="post" action="${links.to(`/moderation/${item.id}/approve`)}">${fields}<button class="second">${isFlagged ? texts('moderation.keep') : texts('moderation.approve')}</button></form></section>`
}
