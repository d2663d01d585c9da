import { discardDraft, findDraftKey, loadValues, saveValue } from './device-store.ts'

/* Reports that were sent without a connection wait on the device. They are sent when the connection is back, or by the next page with a script. */

interface WaitingReport {
  readonly action: string
  /** Path of the form, which still has what was written. */
  readonly url: string
  readonly title: string
  /** All fields of the form. Its `form_key` lets the service carry it out once, even if an answer was lost. */
  readonly fields: readonly (readonly [name: string, value: FormDataEntryValue])[]
}

/** A waiting report was sent, and its draft is deleted. */
export const DRAFT_SENT = 'draft-sent'

/** Returns false if the browser stores nothing. */
export const keepForLater = (key: string, { action }: HTMLFormElement, body: FormData, title: string): Promise<boolean> =>
  saveValue<WaitingReport>('outbox', { action, url: `${location.pathname}${location.search}`, title, fields: [...body] }, key)

/** A form that is changed or sent by hand does not wait any more. */
export const removeFromOutbox = (key: string) => saveValue('outbox', undefined, key)

async function sendAll(): Promise<void> {
  for (const [key, report] of await loadValues<WaitingReport>('outbox')) await send(key, report)
}

async function send(key: string, { action, url, title, fields }: WaitingReport): Promise<void> {
  const body = new FormData()
  for (const [name, value] of fields) body.append(name, value)
  const headers = { accept: 'text/html', 'x-requested-with': 'XMLHttpRequest' }
  const response = await fetch(action, { method: 'POST', body, headers }).catch(() => undefined)
  // There is still no connection.
  if (!response) return
  const { pathname } = new URL(response.url)
  if (response.ok && pathname !== new URL(action).pathname) {
    await discardDraft(key)
    dispatchEvent(new Event(DRAFT_SENT))
    if (hasForm && key === findDraftKey()) return location.assign(response.url)
    return show(pathname.endsWith('/draft') ? 'saved' : 'sent', title, response.url)
  }
  // An overloaded service and a limit are no fault of the report.
  const isLater = response.status >= 429 || response.status === 409
  if (!isLater) await removeFromOutbox(key)
  show(isLater ? 'later' : 'refused', title, url)
}

const hasForm = document.querySelector('form[data-report]') !== null
const section = document.querySelector<HTMLElement>('[data-outbox]')

/** Adds what became of a report to the page, which stays as it is below. */
function show(result: 'sent' | 'saved' | 'later' | 'refused', title: string, href: string): void {
  if (!section) return
  const link = Object.assign(document.createElement('a'), { href, textContent: section.dataset[`${result}Link`] ?? '' })
  const line = document.createElement('p')
  line.append((section.dataset[result] ?? '').replace('{title}', title), ' ', link)
  section.append(line)
  section.hidden = false
}

/** One page at a time sends. A page without HTTPS has no locks, and sends what another page may send, too: the service carries it out once. */
const start = () => void (navigator.locks ? navigator.locks.request('outbox', sendAll) : sendAll())
addEventListener('online', start)
// A report whose form is open again is sent by hand.
if (hasForm) void removeFromOutbox(findDraftKey()).then(start)
else start()
