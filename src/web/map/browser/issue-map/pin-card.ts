import type * as MapLibre from 'maplibre-gl'

import type { MapControls } from '../config.ts'
import type { Point } from '../point-map.ts'

/* A small card at a pin with picture, title, status and link, also of issues that the list has on another page. */

export interface PinnedIssue {
  readonly id: number
  readonly status: string
}

export interface PinCard {
  /** Shows the card of an issue, or none. A fixed card stays until it is closed or another one is shown. */
  show(issue: (PinnedIssue & { readonly point: Point }) | undefined, isFixed?: boolean): void
}

/** A pointer that crosses a pin asks for nothing. */
const PAUSE_MS = 120
const GAP_PIXELS = 14
const MAX_PIXELS = 272
/** A wider card would reach over the other edge, because it lies next to a pin that is less than half of its width from one. */
const MAX_SHARE = 0.6
const PICTURE_PIXELS = 56
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
    focusAfterOpen: false,
  })
  const contents = new Map<number, Promise<CardContent>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let shown: { readonly id: number; readonly isFixed: boolean } | undefined
  popup.on('close', () => (shown = undefined))

  const findContent = ({ id }: PinnedIssue): Promise<CardContent> => {
    const loading = contents.get(id) ?? loadContent(pinnedIssue.replace('{id}', String(id)))
    contents.set(id, loading)
    loading.catch(() => contents.delete(id))
    return loading
  }

  const open = async (issue: PinnedIssue & { readonly point: Point }, isFixed: boolean) => {
    const found = await findContent(issue).catch(() => undefined)
    // Meanwhile the pointer may have left.
    if (shown?.id !== issue.id || found === undefined) return
    const { summary, image, age } = found
    const link = Object.assign(document.createElement('a'), { href: path.replace('{id}', String(issue.id)), textContent: summary })
    const picture = Object.assign(new Image(PICTURE_PIXELS, PICTURE_PIXELS), { src: image, alt: '' })
    const name = issue.status.toLowerCase()
    const status = Object.assign(document.createElement('span'), {
      className: `status ${name}`,
      textContent: statusNames[name] ?? '',
    })
    const line = Object.assign(document.createElement('span'), { className: 'quiet', textContent: `#${issue.id} · ${age}` })
    const content = document.createElement('div')
    content.append(picture, link, status, line)
    popup.setMaxWidth(`${Math.min(MAX_PIXELS, MAX_SHARE * map.getContainer().clientWidth)}px`)
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

interface CardContent {
  readonly summary: string
  /** In words. */
  readonly age: string
  /** URL of a square. */
  readonly image: string
}

async function loadContent(path: string): Promise<CardContent> {
  const response = await fetch(path, { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`The issue could not be loaded: ${response.status}`)
  return (await response.json()) as CardContent
}
