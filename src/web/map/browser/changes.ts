export interface Change {
  readonly id: number
  readonly kind: 'created' | 'changed' | 'gone'
  /** The tiles of zoom 14 that show the issue, as `z/x/y`. */
  readonly tiles?: readonly string[]
  readonly issue: { readonly lng: number; readonly lat: number } | null
}

/** Returns the position in the log before which the page has all changes. */
function pagePosition(): string {
  const [page] = performance.getEntriesByType('navigation')
  const timings = page instanceof PerformanceResourceTiming ? page.serverTiming : []
  return timings.find(({ name }) => name === 'changes')?.description ?? ''
}

/** Changes that follow each other are shown together. */
const PAUSE_MS = 1_000
/** The page asks once a minute if it gets no stream. */
const RETRY_MS = 60_000

/**
 * Follows the changes of a list while the page can be seen: a hidden page leaves its connection to others. Returns a function that selects the list by the
 * path and query of its stream. The first list begins with the page, others now.
 * @param onChanges receives all changes of a second; none if some may be missing
 */
export function followChanges(onChanges: (changes: readonly Change[]) => void): (stream: string) => void {
  let list: string | undefined
  let cursor = ''
  let stream: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let changes: Change[] = []

  const show = () => {
    clearTimeout(timer)
    timer = undefined
    onChanges(changes)
    changes = []
  }
  const take = (type: string, onEvent: (data: string) => void) =>
    stream?.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) => {
      cursor = lastEventId
      onEvent(data)
    })
  const open = () => {
    stream?.close()
    // A page that opens in the background needs the cursor of its beginning.
    if (list === undefined || (document.hidden && cursor !== '')) return
    const url = new URL(list, location.origin)
    if (cursor !== '') url.searchParams.set('since', cursor)
    stream = new EventSource(url)
    take('start', () => {
      if (document.hidden) stream?.close()
    })
    take('change', (data) => {
      changes.push(JSON.parse(data) as Change)
      timer ??= setTimeout(show, PAUSE_MS)
    })
    take('reset', () => {
      show()
      onChanges([])
    })
    stream.addEventListener('error', () => {
      if (stream?.readyState === EventSource.CLOSED) setTimeout(retry, RETRY_MS, stream)
    })
  }
  const retry = (closed: EventSource) => {
    if (stream !== closed) return
    show()
    open()
  }
  document.addEventListener('visibilitychange', open)
  return (selected) => {
    cursor = list === undefined ? pagePosition() : ''
    list = selected
    changes = []
    open()
  }
}

/** Says that issues are new or have changed since the page was loaded. The page stays as it is under the finger until its reader asks for them. */
export function createNews(texts: Readonly<Record<string, string>>, load: () => void) {
  const news = document.getElementById('map-news')
  const ids = new Set<number>()
  return {
    add(added: readonly number[]) {
      for (const id of added) ids.add(id)
      if (!news || ids.size === 0) return
      const textContent = (ids.size === 1 ? texts['one'] : texts['other'])?.replace('%', String(ids.size)) ?? ''
      const button = Object.assign(document.createElement('button'), { type: 'button', textContent })
      button.addEventListener('click', load)
      news.replaceChildren(button)
    },
    clear() {
      ids.clear()
      news?.replaceChildren()
    },
  }
}
