import type * as MapLibre from 'maplibre-gl'

import type { AreaFields } from './area-fields.ts'
import type { DrawConfig } from './draw-config.ts'

export type Act = 'add' | 'undo' | 'close' | 'remove' | 'clear' | 'centre' | 'view'

/** A way to draw an area. */
export interface Tool {
  /** Begins with the area of the fields. */
  start(): void
  /** Draws again, because the style of the map has changed. */
  show(): void
  leave(): void
  click(lngLat: MapLibre.LngLat, point: MapLibre.Point): void
  act(name: Act): void
}

export interface DrawContext {
  readonly maplibre: typeof MapLibre
  readonly map: MapLibre.Map
  readonly form: HTMLFormElement
  readonly config: DrawConfig
  readonly fields: AreaFields
  /** True where corners are added under the cross. */
  readonly isByCross: boolean
  readonly say: (text: string) => void
}
