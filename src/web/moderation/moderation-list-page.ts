import { html, type SafeHtml } from '../../html/template.ts'
import type { Page as Slice } from '../../http/lists/pagination.ts'
import { OWN_TEXT } from '../../moderation/decide.ts'
import { type ItemState, itemStates } from '../../moderation/item-queries.ts'
import type { ModerationItem } from '../../moderation/schema.ts'
import type { Links } from '../../html/links.ts'
import { reasonTexts, stateTexts } from './moderation-words.ts'
import type { Page } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { truncate, formatCount, formatDateTime } from '../../html/format.ts'
import { authorOf, issueOf, mediaOf, pictureOf, placeOf, subjectNames, textsOf, titleOf } from './moderation-subject.ts'
import { inLanguage } from '../../errors/texts/in-language.ts'

export interface ListPage {
  readonly state: ItemState
  readonly items: readonly ModerationItem[]
  readonly entries: number
  readonly slice: Slice
  /** What the reader has just decided. */
  readonly done: 'approved' | 'rejected' | undefined
}

const TEXT_MAX = 300

const doneTexts = {
  approved: 'Approved: everybody can see it from now on.',
  rejected: 'Rejected: nobody but its author and moderators can see it, and its author is told.',
} as const

export function moderationListPage(links: Links, { state, items, entries, slice, done }: ListPage): Page {
  const to = (page: number) => links.to('/moderation', { state: state === 'held' ? undefined : state, page })
  return {
    title: 'Moderation',
    description: 'What is held before others see it, and what was flagged.',
    body: html`<h1>Moderation</h1>
      ${done ? html`<p class="done" role="status">${doneTexts[done]}</p>` : ''}
      <nav class="states" aria-label="States">${itemStates.map((one) => stateLink(one, state, links))}</nav>
      ${items.length > 0 ? html`<p class="quiet">${formatCount(entries, 'item')}, the oldest first.</p>` : nothing(state, entries, links)}
      <ol class="items">${items.map((item) => card(item, links))}</ol>
      ${pager(slice, entries, to)}`,
  }
}

function stateLink(one: ItemState, state: ItemState, { to }: Links): SafeHtml {
  const href = to('/moderation', { state: one === 'held' ? undefined : one })
  return html`<a href="${href}"${one === state ? html` aria-current="page"` : ''}>${stateTexts[one]}</a>`
}

function nothing(state: ItemState, entries: number, { to }: Links): SafeHtml {
  if (entries > 0)
    return html`<div class="empty"><h2>There is no such page</h2><p><a href="${to('/moderation')}">To the first one</a></p></div>`
  if (state !== 'held')
    return html`<div class="empty"><h2>Nothing was ${stateTexts[state].toLowerCase()} yet</h2>
    <p><a href="${to('/moderation')}">See what is waiting</a></p></div>`
  return html`<div class="empty"><h2>Nothing is waiting</h2>
    <p>Whatever is held or flagged appears here; load this page again later. Until then you can look at
      <a href="${to('/moderation', { state: 'approved' })}">what was approved</a> or
      <a href="${to('/places')}">what is going on in your place</a>.</p></div>`
}

function card(item: ModerationItem, links: Links): SafeHtml {
  const { id, state, reasons, decided_by, decided_at, created_at } = item
  const [picture, place] = [pictureOf(item), placeOf(item)]
  const [first, ...others] = textsOf(item)
  const href = links.to(`/moderation/${id}`)
  return html`<li class="card">
    ${picture ? html`<img src="${links.relative(picture.small)}" width="96" height="96" alt="Picture of ${titleOf(item)}">` : ''}
    <div>
      <p class="quiet">${subjectNames[item.subject_type]} by ${authorOf(item)}${place ? html` in ${place.name}` : ''} · ${formatDateTime(created_at)}</p>
      <h3><a href="${href}">${first ? truncate(first.text, TEXT_MAX) : titleOf(item)}</a></h3>
      ${others.map(({ text }) => html`<p>${truncate(text, TEXT_MAX)}</p>`)}
      <p class="quiet">${(reasons ?? []).map((reason) => html`${reasonText(reason)}. `)}</p>
      ${item.note ? html`<p class="quiet">${item.note}</p>` : ''}
      ${
        state === 'held'
          ? html`<div class="buttons">
              ${item.approve_url && standsHereWhole(item) ? html`<form method="post" action="${href}/approve"><button>${reasons?.includes('flagged') ? 'Keep' : 'Approve'}</button></form>` : ''}
              <a class="button" href="${href}">${item.approve_url ? 'Look closer, edit or reject' : 'Look closer'}</a>
            </div>${item.approve_url ? '' : html`<p class="quiet">${inLanguage(OWN_TEXT, 'en')}</p>`}`
          : html`<p><b>${stateTexts[state]}</b> by ${decided_by?.name ?? 'the automatic checks'}${decided_at ? html`, ${formatDateTime(decided_at)}` : ''}</p>`
      }
    </div>
  </li>`
}

/** Nobody lets anything pass of which they see the beginning only. */
function standsHereWhole(item: ModerationItem): boolean {
  const answers = issueOf(item)?.questions ?? []
  const isShort = textsOf(item).every(({ text }) => text.length <= TEXT_MAX)
  return isShort && answers.length === 0 && !pictureOf(item) && item.subject !== null && !mediaOf(item)?.video_url
}

export const reasonText = (reason: string) => (reasonTexts as Readonly<Record<string, string>>)[reason] ?? reason
