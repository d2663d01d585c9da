import { html, type SafeHtml } from '../../html/template.ts'
import type { Page } from '../../http/lists/pagination.ts'
import { OWN_TEXT } from '../../moderation/decide.ts'
import { type ItemState, itemStates } from '../../moderation/item-queries.ts'
import type { ModerationItem } from '../../moderation/schema.ts'
import type { Links } from '../../html/links.ts'
import { reasonTexts, stateTexts } from './moderation-texts.ts'
import type { HtmlPage } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { truncate, formatCount, formatDateTime } from '../../html/format.ts'
import {
  authorName,
  issueSubject,
  subjectMedia,
  subjectImage,
  subjectPlace,
  subjectNames,
  editableTexts,
  subjectTitle,
} from './moderation-subject.ts'
import { inLanguage } from '../../errors/texts/in-language.ts'

export interface ListPage {
  readonly state: ItemState
  readonly items: readonly ModerationItem[]
  readonly entries: number
  readonly slice: Page
  readonly done: 'approved' | 'rejected' | undefined
}

const TEXT_MAX = 300

const successTexts = {
  approved: 'Approved: it is public now.',
  rejected: 'Rejected: only its author and moderators can see it, and its author is notified.',
} as const

export function moderationListPage(links: Links, { state, items, entries, slice, done }: ListPage): HtmlPage {
  const pageHref = (page: number) => links.to('/moderation', { state: state === 'held' ? undefined : state, page })
  return {
    title: 'Moderation',
    description: 'Content that is pending review or was flagged.',
    body: html`<h1>Moderation</h1>
      ${done ? html`<p class="done" role="status">${successTexts[done]}</p>` : ''}
      <nav class="states" aria-label="States">${itemStates.map((one) => stateLink(one, state, links))}</nav>
      ${items.length > 0 ? html`<p class="quiet">${formatCount(entries, 'item')}, oldest first.</p>` : emptyState(state, entries, links)}
      <ol class="items">${items.map((item) => card(item, links))}</ol>
      ${pager(slice, entries, pageHref)}`,
  }
}

function stateLink(linkedState: ItemState, state: ItemState, { to }: Links): SafeHtml {
  const href = to('/moderation', { state: linkedState === 'held' ? undefined : linkedState })
  return html`<a href="${href}"${linkedState === state ? html` aria-current="page"` : ''}>${stateTexts[linkedState]}</a>`
}

function emptyState(state: ItemState, entries: number, { to }: Links): SafeHtml {
  if (entries > 0)
    return html`<div class="empty"><h2>This page of the list is empty</h2><p><a href="${to('/moderation')}">Go to the first page</a></p></div>`
  if (state !== 'held')
    return html`<div class="empty"><h2>Nothing is ${stateTexts[state].toLowerCase()} yet</h2>
    <p><a href="${to('/moderation')}">See what is pending review</a></p></div>`
  return html`<div class="empty"><h2>Nothing is pending review</h2>
    <p>New and flagged content appears here. Reload this page later, or look at
      <a href="${to('/moderation', { state: 'approved' })}">what was approved</a> or
      <a href="${to('/places')}">what is happening in your city</a>.</p></div>`
}

function card(item: ModerationItem, links: Links): SafeHtml {
  const { id, state, reasons, decided_by, decided_at, created_at } = item
  const [image, place] = [subjectImage(item), subjectPlace(item)]
  const [first, ...others] = editableTexts(item)
  const href = links.to(`/moderation/${id}`)
  return html`<li class="card">
    ${image ? html`<img src="${links.relative(image.small)}" width="96" height="96" alt="Picture of ${subjectTitle(item)}">` : ''}
    <div>
      <p class="quiet">${subjectNames[item.subject_type]} by ${authorName(item)}${place ? html` in ${place.name}` : ''} · ${formatDateTime(created_at)}</p>
      <h3><a href="${href}">${first ? truncate(first.text, TEXT_MAX) : subjectTitle(item)}</a></h3>
      ${others.map(({ text }) => html`<p>${truncate(text, TEXT_MAX)}</p>`)}
      <p class="quiet">${(reasons ?? []).map((reason) => html`${reasonText(reason)}. `)}</p>
      ${item.note ? html`<p class="quiet">${item.note}</p>` : ''}
      ${
        state === 'held'
          ? html`<div class="buttons">
              ${item.approve_url && isFullyShown(item) ? html`<form method="post" action="${href}/approve"><button>${reasons?.includes('flagged') ? 'Keep' : 'Approve'}</button></form>` : ''}
              <a class="button" href="${href}">${item.approve_url ? 'Review, edit or reject' : 'Review'}</a>
            </div>${item.approve_url ? '' : html`<p class="quiet">${inLanguage(OWN_TEXT, 'en')}</p>`}`
          : html`<p><b>${stateTexts[state]}</b> by ${decided_by?.name ?? 'the automatic checks'}${decided_at ? html`, ${formatDateTime(decided_at)}` : ''}</p>`
      }
    </div>
  </li>`
}

/** A moderator may approve from the list only if the card shows the whole item. */
function isFullyShown(item: ModerationItem): boolean {
  const answers = issueSubject(item)?.questions ?? []
  const isShort = editableTexts(item).every(({ text }) => text.length <= TEXT_MAX)
  return isShort && answers.length === 0 && !subjectImage(item) && item.subject !== null && !subjectMedia(item)?.video_url
}

export const reasonText = (reason: string) => (reasonTexts as Readonly<Record<string, string>>)[reason] ?? reason
