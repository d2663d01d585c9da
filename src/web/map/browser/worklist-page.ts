/* The list of staff: shortcuts, the number of selected issues, the nearest issues first, and the number of changes. */

import { followChanges } from './changes.ts'

const page = document.querySelector<HTMLElement>('[data-work]')
const form = document.querySelector<HTMLFormElement>('#work')
const listRows = () => [...document.querySelectorAll<HTMLTableRowElement>('tr[data-issue]')]
const listBoxes = () => [...document.querySelectorAll<HTMLInputElement>('tr[data-issue] input[name="issue"]')]
const dialog = document.querySelector<HTMLDialogElement>('#shortcuts-dialog')
const toggle = document.querySelector<HTMLInputElement>('#shortcuts-on')
const STORED = 'fixpoint-shortcuts'
let current = -1

function showCount(): void {
  const count = listBoxes().filter(({ checked }) => checked).length
  const status = document.querySelector('#selected-count')
  if (status) status.textContent = count === 0 ? '' : `(${count})`
}

function moveTo(index: number): void {
  const rows = listRows()
  current = Math.min(Math.max(index, 0), rows.length - 1)
  rows[current]?.querySelector<HTMLElement>('a')?.focus()
}

function toggleCurrent(): void {
  const box = listBoxes()[current]
  if (box) box.checked = !box.checked
  showCount()
}

/** Returns the button of a step for the selected issues, after it has selected the current one if there is no other. */
function buttonFor(key: string): HTMLButtonElement | null | undefined {
  if (!listBoxes().some(({ checked }) => checked)) {
    if (current < 0) moveTo(0)
    toggleCurrent()
  }
  return form?.querySelector<HTMLButtonElement>(`button[data-key="${key}"]`)
}

/** The choice of a step takes letters and arrows; Enter takes the step. */
const focusChoice = (key: string) => buttonFor(key)?.closest('.pair')?.querySelector('select')?.focus()

form?.addEventListener('keydown', (event) => {
  const pair = event.target instanceof HTMLSelectElement ? event.target.closest('.pair') : null
  if (event.key !== 'Enter' || !pair) return
  event.preventDefault()
  pair.querySelector('button')?.click()
})

const shortcuts: Readonly<Record<string, () => void>> = {
  j: () => moveTo(current + 1),
  k: () => moveTo(current - 1),
  x: toggleCurrent,
  g: () => form?.requestSubmit(buttonFor('g')),
  a: () => focusChoice('a'),
  t: () => focusChoice('t'),
  c: () => focusChoice('c'),
  '/': () => {
    document.querySelector('.work-filters details')?.setAttribute('open', '')
    document.querySelector<HTMLInputElement>('.work-filters input[name="search"]')?.focus()
  },
  '?': () => dialog?.showModal(),
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type="checkbox"]), select, textarea'))

document.addEventListener('keydown', (event) => {
  const run = shortcuts[event.key]
  if (!run || event.ctrlKey || event.metaKey || event.altKey || isField(event.target) || dialog?.open) return
  if (localStorage.getItem(STORED) === 'off' && event.key !== '?') return
  event.preventDefault()
  run()
})

document.addEventListener('focusin', ({ target }) => {
  const row = target instanceof HTMLElement ? target.closest('tr') : null
  const index = listRows().findIndex((one) => one === row)
  if (index >= 0) current = index
})

form?.addEventListener('change', showCount)
showCount()

/* The public answer stays in the tab until it is sent: a phone can lose its connection. */
const answer = form?.elements.namedItem('comment')
if (answer instanceof HTMLInputElement) {
  const stored = 'fixpoint-answer'
  if (new URLSearchParams(location.search).has('done')) sessionStorage.removeItem(stored)
  answer.value ||= sessionStorage.getItem(stored) ?? ''
  answer.addEventListener('input', () => sessionStorage.setItem(stored, answer.value))
}

const help = document.querySelector<HTMLElement>('#shortcuts')
if (help) help.hidden = false
help?.addEventListener('click', () => dialog?.showModal())
if (toggle) {
  toggle.checked = localStorage.getItem(STORED) !== 'off'
  toggle.addEventListener('change', () => localStorage.setItem(STORED, toggle.checked ? 'on' : 'off'))
}

const nearest = document.querySelector<HTMLButtonElement>('#nearest')
if (nearest && 'geolocation' in navigator) {
  nearest.hidden = false
  nearest.addEventListener('click', () => {
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      const url = new URL(location.href)
      url.searchParams.set('sort', 'distance')
      url.searchParams.set('lat', coords.latitude.toFixed(5))
      url.searchParams.set('lng', coords.longitude.toFixed(5))
      url.searchParams.delete('page')
      location.assign(url)
    })
  })
}

/*
 * The page asks which of its issues have changed, while it is visible: at each public change of them, and once a minute, because the stream does not have
 * the changes that only staff sees. The list itself does not move.
 */

const MINUTE_MS = 60_000

async function showChanges(path: string, texts: Readonly<Record<string, string>>): Promise<void> {
  if (document.hidden) return
  const response = await fetch(path, { headers: { accept: 'application/json' } })
  if (!response.ok) return
  const { issues } = (await response.json()) as { issues: { readonly id: number; readonly version: number }[] }
  const shown = new Map(listRows().map(({ dataset }) => [Number(dataset['issue']), Number(dataset['version'])]))
  const changed = issues.filter(({ id, version }) => shown.get(id) !== version)
  const gone = [...shown.keys()].filter((id) => !issues.some((issue) => issue.id === id))
  // An issue that leaves a full page makes room for another one.
  const count = Math.max(changed.length, gone.length)
  const news = document.querySelector('#work-news')
  if (!news || count === 0) return
  const text = (count === 1 ? texts['one'] : texts['other'])?.replace('%', String(count)) ?? ''
  if (news.textContent === text) return
  const link = Object.assign(document.createElement('a'), { href: location.href, textContent: text })
  link.addEventListener('click', (event) => {
    event.preventDefault()
    void showList().catch(() => location.reload())
  })
  news.replaceChildren(link)
}

/** Shows the present list in the place of the old one. The selection and the answer stay. */
async function showList(): Promise<void> {
  const response = await fetch(location.href)
  const next = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const part of ['.worklist tbody', '#work-count', '#work-news']) {
    const [old, fresh] = [document.querySelector(part), next.querySelector(part)]
    if (!response.ok || !old || !fresh) return location.reload()
    const selected = new Set(listBoxes().flatMap(({ checked, value }) => (checked ? value : [])))
    old.replaceWith(fresh)
    for (const box of listBoxes()) box.checked = selected.has(box.value)
  }
  current = -1
  showCount()
}

if (page) {
  const texts = JSON.parse(page.dataset['changes'] ?? '{}') as Readonly<Record<string, string>>
  const show = () => void showChanges(page.dataset['versions'] ?? '', texts).catch(() => undefined)
  if (page.dataset['stream']) followChanges(show)(page.dataset['stream'])
  setInterval(show, MINUTE_MS)
}
