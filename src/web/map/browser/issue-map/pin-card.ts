import type * as MapLibre from 'maplibre-gl'

import type { MapControls } from '../config.ts'
import type { Point } from '../point-map.ts'

/* A small card at a pin with title, status and link, also of issues that the list has on another page. */

export interface PinnedIssue {
  readonly id: number
  readonly status: string
  /** The tile has titles only at zoom 15 and above. */
  readonly summary: string | undefined
}

export interface PinCard {
  /** Shows the card of an issue, or none. A fixed card stays until it is closed or another one is shown. */
  show(issue: (PinnedIssue & { readonly point: Point }) | undefined, isFixed?: boolean): void
}

/** A pointer that crosses a pin asks for nothing. */
const PAUSE_MS = 120
const GAP_PIXELS = 14
/** The search for places lies on the upper edge of the map. */
const PADDING = { top: 64, right: 0, bottom: 0, left: 0 }

export function createPinCard(
  maplibre: typeof MapLibre,
  map: MapLibre.Map,
  { issue: path, pinnedIssue, statusNames }: MapControls,
): PinCard {
  const popup = new maplibre.Popup({
    className: 'pin-card',
    closeButton: false,
    offset: GAP_PIXELS,
    padding: PADDING,
    maxWidth: '17rem',
    focusAfterOpen: false,
  })
  const summaries = new Map<number, Promise<string>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let shown: { readonly id: number; readonly isFixed: boolean } | undefined
  popup.on('close', () => (shown = undefined))

  const findSummary = ({ id, summary }: PinnedIssue): Promise<string> => {
    const listed = document.querySelector(`[data-issue="${id}"] h3`)?.textContent
    const known = summary ?? listed
    if (known) return Promise.resolve(known)
    const loading = summaries.get(id) ?? loadSummary(pinnedIssue.replace('{id}', String(id)))
    summaries.set(id, loading)
    loading.catch(() => summaries.delete(id))
    return loading
  }

  const open = async (issue: PinnedIssue & { readonly point: Point }, isFixed: boolean) => {
    const summary = await findSummary(issue).catch(() => undefined)
    // Meanwhile the pointer may have left.
    if (shown?.id !== issue.id || summary === undefined) return
    const link = Object.assign(document.createElement('a'), { href: path.replace('{id}', String(issue.id)), textContent: summary })
    const name = issue.status.toLowerCase()
    const status = Object.assign(document.createElement('span'), {
      className: `status ${name}`,
      textContent: statusNames[name] ?? '',
    })
    const content = document.createElement('div')
    content.append(link, status)
    popup.setLngLat(issue.point).setDOMContent(content).addTo(map)
    shown = { id: issue.id, isFixed }
    popup.getElement().toggleAttribute('data-fixed', isFixed)
  }

  return {
    show(issue, isFixed = false) {
      if (!issue) {
        clearTimeout(timer)
        if (shown?.isFixed) return
        shown = undefined
        popup.remove()
        return
      }
      if (shown?.id === issue.id && shown.isFixed >= isFixed) return
      clearTimeout(timer)
      popup.remove()
      shown = { id: issue.id, isFixed }
      timer = setTimeout(() => void open(issue, isFixed), isFixed ? 0 : PAUSE_MS)
    },
  }
}

async function loadSummary(path: string): Promise<string> {
  const response = await fetch(path, { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`The issue could not be loaded: ${response.status}`)
  return ((await response.json()) as { readonly summary: string }).summary
}
