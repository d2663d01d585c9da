import type { Geometry } from 'geojson'

import type { Bounds, MapConfig, MapControls } from '../config.ts'

export type DrawScriptTexts = Readonly<
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

export interface Radius {
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
