import { checkFileFields } from './check-files.ts'
import { formKey, keepDraft, saveDraft, takeMovedDraft } from './device-draft.ts'
import { discardDraft } from './device-store.ts'
import { keepForLater, removeFromOutbox } from './outbox.ts'
import { showPhotoPicker } from './photo-picker.ts'
import { loadPhotos, savePhotos } from './photo-store.ts'
import './service-worker.ts'

/* The last step of a report, which also works without scripts: what was typed before, time zones, pictures, and the progress of uploads. */

/** Shows the pictures from before in the first field that takes several, or says that there is none. */
async function showPhotos(form: HTMLFormElement): Promise<void> {
  const field = form.querySelector<HTMLInputElement>('input[type=file][multiple]')
  const section = form.querySelector<HTMLElement>('[data-photos]')
  if (!field || !section) {
    if ((await loadPhotos(formKey(form))).length > 0) form.prepend(createNote(form.dataset['notAsked']))
    return
  }
  await showPhotoPicker(section, { field, key: formKey(form) })
}

const createNote = (text = '') => Object.assign(document.createElement('p'), { className: 'note', textContent: text })

async function prepare(form: HTMLFormElement, isAnswer = false): Promise<void> {
  checkFileFields(form)
  countCharacters(form)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit(form)
  })
  form.addEventListener('input', () => void removeFromOutbox(formKey(form)))
  const isMoved = await takeMovedDraft(form)
  void showPhotos(form)
  await keepDraft(form, isAnswer, isMoved)
  // A restored date keeps its time zone.
  preselectTimeZones()
}

/** Shows at each text field how much is written of what it takes. A screen reader hears it near the end. */
function countCharacters(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'input[type=text][maxlength], textarea[maxlength]',
  )) {
    const counter = Object.assign(document.createElement('p'), { className: 'quiet counter', hidden: true })
    field.after(counter)
    const count = () => {
      const { length } = field.value
      const isNearEnd = length > field.maxLength * NEAR_END
      counter.setAttribute('aria-live', isNearEnd ? 'polite' : 'off')
      counter.hidden = length === 0
      counter.textContent = (form.dataset['characters'] ?? '')
        .replace('{count}', String(length))
        .replace('{max}', String(field.maxLength))
    }
    field.addEventListener('input', count)
    count()
  }
}

const NEAR_END = 0.9

async function submit(form: HTMLFormElement): Promise<void> {
  const progress = form.querySelector('[data-progress]') as HTMLElement
  const buttons = form.querySelectorAll('button')
  for (const button of buttons) button.disabled = true
  await saveDraft(form)
  const body = new FormData(form)
  try {
    const { url, page, status } = await sendForm(form.action, body, (percent) => {
      progress.textContent = (form.dataset['sending'] ?? '').replace('{percent}', String(percent))
    })
    if (status < 400 && !url.pathname.endsWith('/login')) {
      await savePhotos([])
      await discardDraft(formKey(form))
    }
    if (url.pathname !== new URL(form.action).pathname) return location.assign(url)
    // Pages of other errors have no form; the texts and pictures stay in this one.
    if (status === 422 || page.querySelector('form[data-report]')) showAnswer(page)
    else progress.textContent = [...page.querySelectorAll('main h1, main h1 + p')].map((part) => part.textContent).join('. ')
  } catch {
    const title = form.querySelector<HTMLInputElement>('input[type=text], textarea')?.value ?? ''
    const isKept = await keepForLater(formKey(form), form, body, title)
    progress.textContent = form.dataset[isKept ? 'waits' : 'notSent'] ?? ''
  }
  for (const button of buttons) button.disabled = false
}

/** Shows the form with its errors. */
function showAnswer(page: Document): void {
  // Its buttons are for browsers without scripts.
  for (const unused of page.querySelectorAll('noscript')) unused.remove()
  const [main, next] = [document, page].map((one) => one.querySelector('main')) as [HTMLElement, HTMLElement]
  main.replaceChildren(...next.childNodes)
  document.title = page.title
  const form = findForm()
  if (form) void prepare(form, true)
  const summary = main.querySelector<HTMLElement>('[role=alert]')
  summary?.setAttribute('tabindex', '-1')
  summary?.focus()
}

/** The browser may show the page again as it was left. */
addEventListener('pageshow', () => {
  for (const button of findForm()?.querySelectorAll('button') ?? []) button.disabled = false
})

const findForm = () => document.querySelector<HTMLFormElement>('form[data-report]')
const first = findForm()
if (first) void prepare(first)

/* Dates and times are preselected in the time zone of the browser. */

const twoDigits = (number: number) => String(Math.abs(Math.trunc(number))).padStart(2, '0')

function toOffset(date: Date): string {
  const minutes = -date.getTimezoneOffset()
  return `${minutes < 0 ? '-' : '+'}${twoDigits(minutes / 60)}:${twoDigits(minutes % 60)}`
}

/** The zone follows its date, because offsets differ between summer and winter. */
function preselectTimeZones(): void {
  for (const zone of document.querySelectorAll<HTMLSelectElement>('select[data-date-time-field]')) {
    const field = document.querySelector<HTMLInputElement>(`[name="${zone.dataset['dateTimeField']}"]`)
    if (!field) continue
    const follow = () => {
      const own = toOffset(field.value === '' ? new Date() : new Date(field.value))
      if ([...zone.options].some(({ value }) => value === own)) zone.value = own
    }
    if (field.value === '') follow()
    field.addEventListener('change', follow)
  }
}

interface Answer {
  /** The address after redirects. */
  readonly url: URL
  readonly page: Document
  readonly status: number
}

/** Sends a form with its files. `fetch` has no progress of uploads. @throws if there is no answer */
function sendForm(action: string, body: FormData, onProgress: (percent: number) => void): Promise<Answer> {
  const request = new XMLHttpRequest()
  request.open('POST', action)
  request.setRequestHeader('accept', 'text/html')
  // The page keeps the files itself, so that the service need not.
  request.setRequestHeader('x-requested-with', 'XMLHttpRequest')
  request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
    if (lengthComputable) onProgress(Math.round((100 * loaded) / total))
  })
  return new Promise((resolve, reject) => {
    request.addEventListener('load', () => {
      const page = new DOMParser().parseFromString(request.responseText, 'text/html')
      if (page.querySelector('main')) resolve({ url: new URL(request.responseURL), page, status: request.status })
      else reject(new Error(`status ${request.status} without a page`))
    })
    request.addEventListener('error', () => reject(new Error('no connection')))
    request.send(body)
  })
}
