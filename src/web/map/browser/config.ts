/** Data of the server for the map, in the attribute `data-map` of its element. */
export interface MapConfig {
  /** Path of the style of the base map, which takes `scheme`. */
  readonly baseStyle: string
  /** Path of the TileJSON of the issues, without parameters. */
  readonly tileJson: string
  /** Path of an issue, with `{id}`. */
  readonly issue: string
  /** The map as an image, for browsers without WebGL. */
  readonly drawing: { readonly path: string; readonly text: string }
  /** West, south, east and north of the first view. */
  readonly bounds: readonly [number, number, number, number]
  /** MapLibre's texts in the language of the page. */
  readonly controlTexts: Readonly<Record<string, string>>
  /** Messages for parts of the page that could not be loaded. */
  readonly failed: { readonly map: string; readonly list: string }
}

export function readConfig(element: HTMLElement): MapConfig {
  return JSON.parse(element.dataset['map'] ?? '') as MapConfig
}
