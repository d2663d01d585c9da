import type { DeviceDraft } from './device-draft.ts'
import { discardDraft, findDraftKey, loadValues } from './device-store.ts'
import { DRAFT_SENT } from './outbox.ts'
import { createThumbnail } from './photo-picker.ts'

/* The reports that were written on this device and not sent: each can be continued or discarded. */

const section = document.querySelector<HTMLElement>('[data-waiting-drafts]')
if (section) {
  void showDrafts(section)
  addEventListener(DRAFT_SENT, () => void showDrafts(section))
}

async function showDrafts(section: HTMLElement): Promise<void> {
  const [drafts, photos] = await Promise.all([loadValues<DeviceDraft>('drafts'), loadValues<readonly File[]>('photos')])
  const list = section.querySelector('ul') as HTMLElement
  const status = section.querySelector('[role=status]') as HTMLElement
  const count = () => {
    const { length } = list.children
    status.textContent = (length === 1 ? section.dataset['one'] : section.dataset['many'])?.replace('{count}', String(length)) ?? ''
    if (length === 0) status.textContent = section.dataset['discarded'] ?? ''
  }
  // A report whose spot is being changed is not waiting.
  const waiting = [...drafts].filter(([key]) => key !== findDraftKey())
  section.hidden = waiting.length === 0
  if (section.hidden) return
  list.replaceChildren(
    ...waiting.map(([key, draft]) => {
      const item = createItem(section, draft, photos.get(key)?.[0])
      item.querySelector('button')?.addEventListener('click', () => {
        void discardDraft(key)
        item.remove()
        count()
        status.focus()
      })
      return item
    }),
  )
  count()
}

function createItem(section: HTMLElement, { url, title, text }: DeviceDraft, photo: File | undefined): HTMLElement {
  const template = section.querySelector('template') as HTMLTemplateElement
  const item = template.content.firstElementChild?.cloneNode(true) as HTMLElement
  const link = item.querySelector('a') as HTMLAnchorElement
  const button = item.querySelector('button') as HTMLButtonElement
  const [heading, words] = item.querySelectorAll('p > *:not(br)')
  if (heading) heading.textContent = title
  if (words) words.textContent = text
  link.href = url
  for (const control of [link, button]) control.setAttribute('aria-label', `${control.textContent}: ${text || title}`)
  if (photo) item.prepend(createThumbnail(photo))
  return item
}
