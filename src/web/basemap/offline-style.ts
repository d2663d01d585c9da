/** Colours of the base map, by the colour scheme of the page (src/html/files/style.css). */
const palettes = {
  light: { water: '#dfe9ee', land: '#f4f5f1', border: '#b9c4c2', place: '#e7ece4', outline: '#7f9a92', label: '#3d4a55' },
  dark: { water: '#151d23', land: '#232d34', border: '#3d4a53', place: '#2a363e', outline: '#64808a', label: '#c3ced6' },
} as const satisfies Record<string, Readonly<Record<string, string>>>
type Palette = Readonly<Record<keyof (typeof palettes)['light'], string>>
export const schemes = ['light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

export interface BaseMapUrls {
  readonly land: string
  readonly borders: string
  readonly places: string
}

/** Smaller places appear when the map is closer. */
const CITY_LABELS_ZOOM = 5

/** Returns a MapLibre style of the own base map. Without `glyphs` MapLibre draws labels with fonts of the device. */
export function toOfflineStyle(urls: BaseMapUrls, scheme: Scheme, colours: Partial<Palette> = {}) {
  const palette = { ...palettes[scheme], ...colours }
  const geojson = (data: string, attribution?: string) => ({ type: 'geojson', data, ...(attribution ? { attribution } : {}) })
  return {
    version: 8,
    name: `Base map (${scheme})`,
    sources: {
      land: geojson(urls.land, 'Natural Earth'),
      borders: geojson(urls.borders),
      places: geojson(urls.places),
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': palette.water } },
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': palette.land } },
      { id: 'borders', type: 'line', source: 'borders', paint: { 'line-color': palette.border, 'line-width': 1 } },
      {
        id: 'places',
        type: 'fill',
        source: 'places',
        filter: ['==', ['geometry-type'], 'Polygon'],
        paint: { 'fill-color': palette.place },
      },
      {
        id: 'place-outlines',
        type: 'line',
        source: 'places',
        filter: ['==', ['geometry-type'], 'Polygon'],
        paint: { 'line-color': palette.outline, 'line-width': ['interpolate', ['linear'], ['zoom'], 4, 0.5, 12, 2] },
      },
      {
        id: 'place-labels',
        type: 'symbol',
        source: 'places',
        filter: ['==', ['geometry-type'], 'Point'],
        minzoom: CITY_LABELS_ZOOM,
        layout: {
          'text-field': ['get', 'name'],
          'text-font': ['sans-serif'],
          'text-size': ['interpolate', ['linear'], ['zoom'], 5, 11, 12, 16],
          'text-variable-anchor': ['bottom', 'top'],
          'text-radial-offset': 0.8,
        },
        paint: { 'text-color': palette.label, 'text-halo-color': palette.land, 'text-halo-width': 1.5 },
      },
    ],
  }
}
