/* The list of issues next to the map. The server renders it, so that it is the same with and without scripts. */

export interface IssueList {
  /** Replaces the list by that of another address of the page. A newer call ends an older one. After a link that is gone, the list has the focus. */
  load(url: URL, link?: Element): Promise<void>
  /** Marks the entry of an issue, or none. */
  mark(id: number | undefined): void
}

export interface ListedIssue {
  readonly id: number
  readonly lng: number
  readonly lat: number
}

interface ListEvents {
  /** Receives the issue under the pointer or with the focus, and with undefined when it leaves. */
  readonly onPoint: (issue: ListedIssue | undefined) => void
  /** Receives the loaded page, or undefined after a failure. */
  readonly onLoad: (page: Document | undefined) => void
}

export function createIssueList(section: HTMLElement, { onPoint, onLoad }: ListEvents): IssueList {
  let loading: AbortController | undefined
  const entryOf = (target: EventTarget | null) => (target as Element | null)?.closest<HTMLElement>('[data-issue]') ?? undefined
  const point = ({ target }: Event) => onPoint(toIssue(entryOf(target)))
  section.addEventListener('pointerover', point)
  section.addEventListener('focusin', point)
  section.addEventListener('pointerleave', () => onPoint(undefined))
  section.addEventListener('focusout', () => onPoint(undefined))

  return {
    async load(url, link) {
      loading?.abort()
      loading = new AbortController()
      section.setAttribute('aria-busy', 'true')
      try {
        const response = await fetch(url, { signal: loading.signal, headers: { accept: 'text/html' } })
        const page = new DOMParser().parseFromString(await response.text(), 'text/html')
        const next = page.getElementById(section.id)
        if (next) section.replaceChildren(...next.childNodes)
        onLoad(next ? page : undefined)
        if (link && document.activeElement === document.body) showStart(section)
      } catch (error) {
        // A newer call replaces the list.
        if ((error as Error).name === 'AbortError') return
        onLoad(undefined)
      }
      section.removeAttribute('aria-busy')
    },
    mark(id) {
      section.querySelector('[data-marked]')?.removeAttribute('data-marked')
      if (id !== undefined) section.querySelector(`[data-issue="${id}"]`)?.setAttribute('data-marked', '')
    },
  }
}

/** Continues at the heading of the list, with the keyboard too. */
function showStart(section: HTMLElement): void {
  const heading = section.querySelector<HTMLElement>('h2')
  if (!heading) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
  heading.scrollIntoView({ block: 'nearest' })
}

function toIssue(entry: HTMLElement | undefined): ListedIssue | undefined {
  if (!entry) return undefined
  const { issue, lng, lat } = entry.dataset
  return { id: Number(issue), lng: Number(lng), lat: Number(lat) }
}
