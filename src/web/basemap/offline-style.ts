/** Colours of the base map, by the colour scheme of the page (src/html/files/style.css). */
const palettes = {
  light: {
    water: '#dfe9ee',
    land: '#f4f5f1',
    border: '#b9c4c2',
    place: '#e7ece4',
    outline: '#7f9a92',
    label: '#26323b',
    region: '#66747e',
  },
  dark: {
    water: '#151d23',
    land: '#232d34',
    border: '#3d4a53',
    place: '#2a363e',
    outline: '#64808a',
    label: '#dbe3e8',
    region: '#94a2ac',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>
type Palette = Readonly<Record<keyof (typeof palettes)['light'], string>>
export const schemes = ['light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

export interface BaseMapUrls {
  readonly land: string
  readonly borders: string
  readonly names: string
  readonly places: string
}

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
      names: geojson(urls.names),
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
      ...labelLayers(palette),
    ],
  }
}

/** Positions of a text around its point, the closest first, between the numbers of clusters. */
const positions = [0, 0.7, 1.1, 1.5, 1.9, 2.3].flatMap((distance) =>
  distance === 0
    ? ['center', [0, 0]]
    : ['bottom', [0, -distance], 'top', [0, distance], 'left', [distance, 0], 'right', [-distance, 0]],
)

/** Places that are much larger than the view are not named: a name would cover the spot of a report. */
const ZOOMS_OF_DISTRICT = 5
const ZOOMS_OF_CITY = 4

/** The last layer has priority, and in a layer the largest place. */
function labelLayers({ label, region, land }: Palette) {
  const layer = (kind: string, source: string, layout: object, zooms: object = {}, filters: readonly unknown[] = []) => ({
    id: `${kind}-labels`,
    type: 'symbol',
    source,
    filter: ['all', ['==', ['geometry-type'], 'Point'], ['==', ['get', 'kind'], kind], ...filters],
    layout: { 'text-field': ['get', 'name'], 'text-font': ['sans-serif'], 'symbol-sort-key': ['get', 'rank'], ...layout },
    paint: { 'text-color': source === 'names' ? region : label, 'text-halo-color': land, 'text-halo-width': 2 },
    ...zooms,
  })
  const byZoom = (...sizes: number[]) => ['interpolate', ['linear'], ['zoom'], ...sizes]
  const capitals = { 'text-transform': 'uppercase', 'text-letter-spacing': 0.1, 'text-max-width': 8 }
  const movable = { 'text-variable-anchor-offset': positions, 'text-padding': 0 }
  const zoomOfPlace = ['get', 'zoom']
  const isBelow = (zooms: number) => ['<', ['zoom'], ['+', zoomOfPlace, zooms]]
  return [
    layer('district', 'places', { 'text-size': 12, ...movable }, {}, [['>=', ['zoom'], zoomOfPlace], isBelow(ZOOMS_OF_DISTRICT)]),
    layer('state', 'names', { 'text-size': byZoom(3, 9, 8, 14), ...capitals }, { minzoom: 3, maxzoom: 9 }),
    layer('country', 'names', { 'text-size': byZoom(1, 10, 4, 14), ...capitals }, { minzoom: 1, maxzoom: 4 }),
    layer('city', 'places', { 'text-size': byZoom(3, 12, 12, 18), ...movable }, {}, [isBelow(ZOOMS_OF_CITY)]),
  ]
}
