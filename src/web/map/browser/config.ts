import type { BaseMapConfig } from './base-map.ts'

/** Data of the server for the map, in the attribute `data-map` of its element. */
export interface MapConfig extends BaseMapConfig {
  /** Path of the TileJSON of the issues, without parameters. */
  readonly tileJson: string
  /** Path of an issue, with `{id}`. */
  readonly issue: string
  /** Messages for parts of the page that could not be loaded. */
  readonly failed: { readonly map: string; readonly list: string }
}

export function readConfig(element: HTMLElement): MapConfig {
  return JSON.parse(element.dataset['map'] ?? '') as MapConfig
}
