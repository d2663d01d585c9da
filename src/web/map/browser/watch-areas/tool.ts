import type { Geometry } from 'geojson'
import type * as MapLibre from 'maplibre-gl'

import type { Bounds, MapConfig, MapControls } from '../config.ts'
import type { AreaFields } from './area-fields.ts'

type DrawScriptTexts = Readonly<
  Record<
    | 'polygonByClick'
    | 'polygonByCross'
    | 'open'
    | 'closable'
    | 'closed'
    | 'tooMany'
    | 'circleByClick'
    | 'circleByCross'
    | 'circle'
    | 'viewReady'
    | 'view'
    | 'place'
    | 'corner'
    | 'missing'
    | 'forecastFailed',
    string
  >
>

interface Radius {
  readonly metres: number
  /** With its unit. */
  readonly name: string
}

/** Data of the server for the map on which an area is drawn. */
export interface DrawConfig extends MapControls {
  readonly tileJson: string
  readonly bounds: Bounds
  /** The area of the form that is not a polygon to edit: that of a place or a box. */
  readonly shape?: Geometry
  readonly radii: readonly Radius[]
  /** Path that returns the page with the forecast for the form. */
  readonly forecast: string
  readonly failed: MapConfig['failed']
  readonly texts: DrawScriptTexts
}

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
