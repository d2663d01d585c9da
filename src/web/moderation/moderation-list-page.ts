import type { Point } from '../../geo/shapes.ts'
import { hiddenField, errorSummary, textareaField } from '../../html/fields.ts'
import { createForm, type FormState } from '../../html/form.ts'
import { formatNumber, truncate, formatLocalTime } from '../../html/format.ts'
import type { Links } from '../../html/links.ts'
import { type HtmlPage, pageTitles } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Page } from '../../http/lists/pagination.ts'
import { inLanguage, type Texts } from '../../locales/texts.ts'
import { OWN_TEXT } from '../../moderation/decide.ts'
import { type ItemState, itemStates } from '../../moderation/item-queries.ts'
import { REASON_MAX, type ModerationItem } from '../../moderation/schema.ts'
import type { SeveralResult } from './decide-several.ts'
import {
  itemChoice,
  itemName,
  authorName,
  editableTexts,
  isFullyShown,
  questionSubject,
  subjectImage,
  subjectPlace,
  TEXT_MAX,
} from './moderation-subject.ts'
import { reasonText } from './reason-text.ts'
import { subjectContext } from './subject-context.ts'

/** The form follows the list, and the checkboxes in the list name it: forms cannot be nested. */
const FORM_ID = 'several'

export interface SeveralForm extends Required<FormState> {
  /** Idempotency key: the same form sent twice decides once. */
  readonly formKey: string
  /** Parameters of the list, to which the form returns. */
  readonly list: { readonly subject_type: string | undefined; readonly page: number | undefined }
  readonly selected: readonly string[] | 'all'
  readonly result?: SeveralResult
}

function selectionField(item: ModerationItem, { selected }: SeveralForm, texts: Texts): SafeHtml {
  const choice = itemChoice(item)
  const checked = selected === 'all' || selected.includes(choice) ? html` checked` : ''
  return html`<label class="choice"><input type="checkbox" form="${FORM_ID}" name="items" value="${choice}"${checked} aria-label="${texts('severalDecisions.selectItem', { item: itemName(item, texts) })}"> ${texts('severalDecisions.select')}</label>`
}

function selectionLinks({ selected, list }: SeveralForm, { to }: Links, texts: Texts): SafeHtml {
  return html`<p>${
    selected === 'all'
      ? html`<a href="${to('/moderation', list)}">${texts('severalDecisions.selectNone')}</a>`
      : html`<a href="${to('/moderation', { ...list, selected: 'all' })}">${texts('severalDecisions.selectAll')}</a>`
  }</p>`
}

function severalForm({ formKey, list, values, errors }: SeveralForm, { to }: Links, texts: Texts): SafeHtml {
  const hint = texts('severalDecisions.reasonHint', { max: formatNumber(REASON_MAX, texts.language) })
  const form = createForm(texts.language, { values, errors })
  return html`<section class="narrow"><h2>${texts('severalDecisions.title')}</h2>
    <p class="quiet">${texts('severalDecisions.hint')}</p>
    <form method="post" id="${FORM_ID}" action="${to('/moderation', list)}">
      ${hiddenField('form_key', formKey)}
      ${form.textarea('reason', texts('severalDecisions.reason'), { hint, isConditional: true })}
      <div class="buttons">
        <button class="second" name="decision" value="approve">${texts('severalDecisions.approve')}</button>
        <button class="second" name="decision" value="reject">${texts('severalDecisions.reject')}</button>
      </div>
    </form></section>`
}

function severalResult({ decision, decided, left }: SeveralResult, { to }: Links, texts: Texts): SafeHtml {
  const rows = left.map(({ id, item, reason }) => {
    const name = item
      ? html`<a href="${to(`/moderation/${id}`)}">${itemName(item, texts)}</a>`
      : texts('severalDecisions.unknownItem', { id })
    return html`<li>${name}: ${inLanguage(reason, texts.language)}</li>`
  })
  return html`${decided > 0 ? html`<p class="done" role="status">${texts(`severalDecisions.done.${decision}`, { count: decided })}</p>` : ''}
    ${rows.length > 0 ? html`<div class="error-summary" role="alert"><p><b>${texts('severalDecisions.left', { count: rows.length })}</b></p><ul>${rows}</ul></div>` : ''}`
}

interface ListPage {
  readonly state: ItemState
  readonly items: readonly ModerationItem[]
  readonly entries: number
  readonly slice: Page
  readonly done: 'approved' | 'rejected' | undefined
  /** The number of items that were decided at once. */
  readonly doneCount?: number | undefined
  readonly several: SeveralForm
  readonly points: ReadonlyMap<number, Point>
}

/** Every part of the page gets this. */
interface Context {
  readonly links: Links
  readonly texts: Texts
  readonly several: SeveralForm
  readonly points: ReadonlyMap<number, Point>
}

export function moderationListPage(links: Links, page: ListPage, texts: Texts): HtmlPage {
  const { state, items, entries, slice, done, doneCount, several, points } = page
  const context = { links, texts, language: texts.language, several, points }
  const isSelectable = items.some(({ approve_url }) => approve_url !== null)
  const doneText =
    done && (doneCount ? texts(`severalDecisions.done.${done}`, { count: doneCount }) : texts(`moderation.done.${done}`))
  const pageHref = (page: number) => links.to('/moderation', { ...several.list, state: state === 'held' ? undefined : state, page })
  return {
    ...pageTitles(texts, 'moderation.title', 'moderation.description'),
    body: html`<h1>${texts('moderation.title')}</h1>
      ${doneText ? html`<p class="done" role="status">${doneText}</p>` : ''}
      ${several.result ? severalResult(several.result, links, texts) : ''}
      ${errorSummary(several.errors, isSelectable ? [['reason', texts('severalDecisions.reason')]] : [], texts.language)}
      <nav class="states" aria-label="${texts('moderation.statesLabel')}">${itemStates.map((one) => stateLink(context, one, state))}</nav>
      ${items.length > 0 ? html`<p class="quiet">${texts('moderation.items', { count: entries })}</p>` : emptyState(context, state, entries)}
      ${isSelectable ? selectionLinks(several, links, texts) : ''}
      <ol class="items">${items.map((item) => card(context, item))}</ol>
      ${isSelectable ? severalForm(several, links, texts) : ''}
      ${pager(slice, entries, pageHref, texts.language)}`,
  }
}

function stateLink({ links, texts }: Context, linkedState: ItemState, state: ItemState): SafeHtml {
  const href = links.to('/moderation', { state: linkedState === 'held' ? undefined : linkedState })
  return html`<a href="${href}"${linkedState === state ? html` aria-current="page"` : ''}>${texts(`moderation.states.${linkedState}`)}</a>`
}

function emptyState({ links: { to }, texts }: Context, state: ItemState, entries: number): SafeHtml {
  if (entries > 0)
    return html`<div class="empty"><h2>${texts('moderation.emptyPage')}</h2><p><a href="${to('/moderation')}">${texts('moderation.firstPage')}</a></p></div>`
  if (state !== 'held')
    return html`<div class="empty"><h2>${texts(`moderation.empty.${state}`)}</h2>
    <p><a href="${to('/moderation')}">${texts('moderation.seeHeld')}</a></p></div>`
  const approved = (text: string) => html`<a href="${to('/moderation', { state: 'approved' })}">${text}</a>`
  const places = (text: string) => html`<a href="${to('/places')}">${text}</a>`
  return html`<div class="empty"><h2>${texts('moderation.empty.held')}</h2><p>${richText(texts, 'moderation.emptyHint', { approved, places })}</p></div>`
}

function card(context: Context, item: ModerationItem): SafeHtml {
  const { links, texts } = context
  const { id, reasons, created_at } = item
  const [image, place] = [subjectImage(item), subjectPlace(item)]
  const [, ...others] = editableTexts(item)
  const subject = texts(`moderation.subjects.${item.subject_type}.name`)
  const author = authorName(item, texts)
  const byline = place
    ? texts('moderation.bylineInPlace', { subject, author, place: place.name })
    : texts('moderation.byline', { subject, author })
  return html`<li class="card">
    ${image ? html`<img src="${links.relative(image.small)}" width="96" height="96" alt="${texts(`moderation.subjects.${item.subject_type}.picture`)}">` : ''}
    <div>
      <p class="quiet">${byline} · ${formatLocalTime(created_at, texts, context.points.get(id))}</p>
      ${questionSubject(item) ? '' : subjectContext(item, context)}
      <h2><a href="${links.to(`/moderation/${id}`)}">${itemName(item, texts)}</a></h2>
      ${others.map(({ text }) => html`<p>${truncate(text, TEXT_MAX)}</p>`)}
      <p class="quiet">${(reasons ?? []).map((reason) => html`${reasonText(texts, reason)}. `)}</p>
      ${item.note ? html`<p class="quiet" lang="en">${item.note}</p>` : ''}
      ${item.state === 'held' ? actions(context, item) : html`<p>${decision(context, item, context.points.get(id))}</p>`}
    </div>
  </li>`
}

/** Both decisions look alike, so that none is made by habit. */
function actions({ links, texts, several }: Context, item: ModerationItem): SafeHtml {
  const { id, reasons, approve_url } = item
  const href = links.to(`/moderation/${id}`)
  const approve = reasons?.includes('flagged') ? texts('moderation.keep') : texts('moderation.approve')
  const name = itemName(item, texts)
  return html`<div class="buttons">
      ${approve_url && isFullyShown(item) ? html`<form method="post" action="${href}/approve"><button class="second" aria-label="${`${approve}: ${name}`}">${approve}</button></form>` : ''}
      ${approve_url ? rejectionForm({ item, action: `${href}/reject`, texts }) : ''}
      <a class="button quiet" href="${href}">${approve_url ? texts('moderation.reviewLong') : texts('moderation.review')}</a>
      ${approve_url ? selectionField(item, several, texts) : ''}
    </div>${approve_url ? '' : html`<p class="quiet">${inLanguage(OWN_TEXT, texts.language)}</p>`}`
}

/** Returns for example 'Approved by Mia, 3 Jan 2026'. */
export function decision(
  { texts }: Pick<Context, 'texts'>,
  { state, decided_by, decided_at }: ModerationItem,
  point: Point | undefined,
): SafeHtml {
  const decided = richText(texts, 'moderation.decidedBy', {
    state: html`<b>${texts(`moderation.states.${state}`)}</b>`,
    who: decided_by?.name ?? texts('moderation.automaticChecks'),
  })
  return html`${decided}${decided_at ? html`, ${formatLocalTime(decided_at, texts, point)}` : ''}`
}

interface RejectionForm {
  readonly item: ModerationItem
  /** Path of the rejection. */
  readonly action: string
  readonly texts: Texts
}

/** Asks for the reason in the list. */
function rejectionForm({ item, action, texts }: RejectionForm): SafeHtml {
  const field = textareaField({
    name: 'reason',
    id: `reason-${item.id}`,
    label: texts('moderation.reason'),
    hint: texts('moderation.reasonHint', { max: formatNumber(REASON_MAX, texts.language) }),
    ...{ required: true, language: texts.language },
  })
  const name = `${texts('moderation.reject')}: ${itemName(item, texts)}`
  return html`<details class="reject"><summary class="button" aria-label="${name}">${texts('moderation.reject')}</summary>
    <form method="post" action="${action}">${field}<button aria-label="${name}">${texts('moderation.reject')}</button></form></details>`
}
