import type * as MapLibre from 'maplibre-gl'

import { SOURCE } from '../issue-style/layers.ts'

/* Replaces a base map that cannot be loaded, and loads what has failed again at the next move. */

interface FailureEvents {
  readonly canFallBack: () => boolean
  /** Loads the own base map. */
  readonly useOwn: () => void
  /** Loads the style again that has failed. */
  readonly reloadStyle: () => void
  /** Is called if there is no style to begin with. */
  readonly onNoStyle: () => void
  readonly onFailure: ((hasFailed: boolean) => void) | undefined
}

/** A base map that fails in the first view is replaced; later failures may be those of single tiles. */
export function followFailures(map: MapLibre.Map, events: FailureEvents): void {
  const { canFallBack, useOwn, reloadStyle, onNoStyle, onFailure } = events
  /** Names of sources, and undefined for the style and the worker. */
  const failed = new Set<string | undefined>()
  let hasStyle = false
  let hadStyle = false
  let isFirstView = true
  map.on('styledataloading', () => (hasStyle = false))
  map.on('style.load', () => {
    hasStyle = hadStyle = true
    failed.clear()
  })
  map.on('error', ({ sourceId }: MapLibre.ErrorEvent & { readonly sourceId?: string }) => {
    const isBaseMap = sourceId === undefined ? !hasStyle : sourceId !== SOURCE
    if (isBaseMap && isFirstView && canFallBack()) return useOwn()
    if (!hadStyle) return onNoStyle()
    failed.add(sourceId)
    onFailure?.(true)
  })
  map.on('movestart', () => {
    const sources = [...failed]
    failed.clear()
    if (sources.length > 0 && !hasStyle) return reloadStyle()
    for (const id of sources) if (id !== undefined) reloadSource(map, id)
  })
  map.on('idle', () => {
    isFirstView = false
    onFailure?.(failed.size > 0)
  })
}

/** Requests a source and its tiles again; those that were loaded stay visible. */
function reloadSource(map: MapLibre.Map, id: string): void {
  const source = map.getSource(id)
  if (source?.type === 'geojson') {
    const { data } = source.serialize() as MapLibre.GeoJSONSourceSpecification
    void (source as MapLibre.GeoJSONSource).setData(data)
  } else if (source?.type === 'vector' || source?.type === 'raster' || source?.type === 'raster-dem') {
    void (source as MapLibre.VectorTileSource | MapLibre.RasterTileSource).load(true)
  }
}

/* The message of a page if its map or its list could not be loaded. */

type LoadedPart = 'map' | 'list'

/** Returns a function that shows the message of a part, or hides it after the part was loaded. */
export function createFailureMessage(texts: Readonly<Record<LoadedPart, string>>) {
  const element = document.getElementById('map-failure')
  const failed = new Set<LoadedPart>()
  return (part: LoadedPart, hasFailed: boolean): void => {
    if (!element || failed.has(part) === hasFailed) return
    if (hasFailed) failed.add(part)
    else failed.delete(part)
    element.textContent = failed.has('list') ? texts.list : failed.has('map') ? texts.map : ''
    element.hidden = failed.size === 0
  }
}
