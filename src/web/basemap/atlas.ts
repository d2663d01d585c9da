import { area } from '@turf/area'
import { bboxClip } from '@turf/bbox-clip'
import { centerOfMass } from '@turf/center-of-mass'
import type { Geometry, MultiLineString, Position, Feature, FeatureCollection, Polygon } from 'geojson'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

import { type Box, boundingBox } from '../../geo/shapes.ts'
import { type Language, languages } from '../../locales/texts.ts'

/* Land and borders of Natural Earth and the US Census, for the own base map and for drawn maps. */

const COUNTRIES = 'world-atlas/countries-50m.json'
const STATES = 'us-atlas/states-10m.json'

const readLand = once(async (): Promise<readonly Geometry[]> => {
  const topology = await readTopology('world-atlas/land-50m.json')
  return feature(topology, topology.objects['land'] as GeometryCollection).features.map(({ geometry }) => geometry)
})

/** Returns the borders of countries and of the states of the United States. */
const readBorders = once(async (): Promise<readonly MultiLineString[]> => [
  toBorders(await readTopology(COUNTRIES), 'countries'),
  toBorders(await readTopology(STATES), 'states'),
])

/** The land and borders below the places of a drawn map. Longitudes may exceed 180 degrees where the box crosses the antimeridian. */
export interface Ground {
  readonly land: readonly Position[][]
  readonly borders: readonly Position[][]
}

/** The clip extends beyond the box, so that its edges are not visible as coasts. */
const CLIP_MARGIN = 0.05

/** Returns the land and borders of a box. `pixels` is the width of the map: details smaller than a pixel are left out. */
export async function readGround(box: Box, pixels: number): Promise<Ground> {
  const [rings, lines] = await Promise.all([readRings(), readLines()])
  const east = box.west > box.east ? box.east + 360 : box.east
  const pixel = (east - box.west) / pixels
  const [x, y] = [(east - box.west) * CLIP_MARGIN, (box.north - box.south) * CLIP_MARGIN]
  const clip = { west: box.west - x, south: box.south - y, east: east + x, north: box.north + y }
  // The part of the world beyond the antimeridian is a turn away.
  const turns = [-360, 0, 360].map((turn) => ({ turn, box: { ...clip, west: clip.west - turn, east: clip.east - turn } }))
  const visible = (all: readonly Extent[], cut: (positions: Position[], box: Box) => Position[][]) =>
    turns.flatMap(({ turn, box }) =>
      all
        .filter(({ west, south, east, north }) => west <= box.east && east >= box.west && south <= box.north && north >= box.south)
        .flatMap(({ positions }) => cut(positions, box))
        .map((positions) => dropDetails(positions, pixel).map(([lng = 0, lat = 0]): Position => [lng + turn, lat])),
    )
  return {
    land: visible(rings, clipRing).filter(({ length }) => length > 3),
    borders: visible(lines, clipLine).filter(({ length }) => length > 1),
  }
}

function clipRing(ring: Position[], { west, south, east, north }: Box): Position[][] {
  return bboxClip({ type: 'Polygon', coordinates: [ring] }, [west, south, east, north]).geometry.coordinates as Position[][]
}

function clipLine(line: Position[], { west, south, east, north }: Box): Position[][] {
  const { geometry } = bboxClip({ type: 'LineString', coordinates: line }, [west, south, east, north])
  return geometry.type === 'LineString' ? [geometry.coordinates] : (geometry.coordinates as Position[][])
}

/** Leaves out positions that are closer than `distance` to the last one, except the ends. */
export function dropDetails(positions: readonly Position[], distance: number): Position[] {
  let [lastLng, lastLat] = [Infinity, Infinity]
  return positions.filter(([lng = 0, lat = 0], index) => {
    const isFar = Math.abs(lng - lastLng) >= distance || Math.abs(lat - lastLat) >= distance
    if (!isFar && index < positions.length - 1) return false
    ;[lastLng, lastLat] = [lng, lat]
    return true
  })
}

interface Extent extends Box {
  readonly positions: Position[]
}

const readRings = once(async () => (await readLand()).flatMap(ringsOf).map(toExtent))
const readLines = once(async () => (await readBorders()).flatMap(({ coordinates }) => coordinates).map(toExtent))

function ringsOf(geometry: Geometry): Position[][] {
  if (geometry.type === 'Polygon') return geometry.coordinates
  return geometry.type === 'MultiPolygon' ? geometry.coordinates.flat(1) : []
}

function toExtent(positions: Position[]): Extent {
  return { positions, ...boundingBox({ type: 'LineString', coordinates: positions }) }
}

/** Calls `read` with the first call only. */
function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => (result ??= read())
}

const readTopology = async (specifier: string) =>
  JSON.parse(await readFile(fileURLToPath(import.meta.resolve(specifier)), 'utf8')) as Topology

const toBorders = (topology: Topology, name: string) =>
  // Coasts and outer borders belong to one country only, and the land shows them.
  mesh(topology, topology.objects[name] as GeometryCollection, (a, b) => a !== b)

/** Countries, and states of one, which have the name of their atlas. */
interface Regions {
  readonly countries: FeatureCollection<Geometry, { name: string }>
  readonly states: FeatureCollection<Geometry, { name: string }>
}

/** Returns the names of countries in the language and those of states, each at the middle of its largest part. */
function toRegionNames({ countries, states }: Regions, language: Language): Feature[] {
  const regionNames = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
  const countryName = (id: string, name: string) => {
    const code = toCountryCode(id)
    return (code === undefined ? undefined : regionNames.of(code)) ?? name
  }
  return [...toLabels(countries, 'country', countryName), ...toLabels(states, 'state', (_id, name) => name)]
}

/** @param id the number of ISO 3166-1, which disputed territories do not have */
const toCountryCode = (id: string) => (id === '' ? undefined : new Intl.Locale(`und-${id}`).region)

function toLabels({ features }: Regions['countries'], kind: string, toName: (id: string, name: string) => string): Feature[] {
  const labels = features.flatMap(({ id, geometry, properties }): Feature[] => {
    if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon') return []
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
    const [largest] = polygons.map(([ring = []]) => toPart(ring)).sort((a, b) => b.km2 - a.km2)
    if (!largest) return []
    return [
      {
        type: 'Feature',
        geometry: centerOfMass(largest.polygon).geometry,
        properties: { kind, name: toName(String(id ?? ''), properties.name), rank: -Math.round(largest.km2) },
      },
    ]
  })
  // The atlas has remote islands of a country apart.
  const byName = Map.groupBy(labels, ({ properties }) => properties?.['name'] as string)
  return [...byName.values()].flatMap((same) => same.sort(byRank).slice(0, 1))
}

const byRank = (a: Feature, b: Feature) => Number(a.properties?.['rank']) - Number(b.properties?.['rank'])

/** Some parts of the atlas have no area, because its positions are rounded. */
function toPart(ring: Polygon['coordinates'][number]) {
  const polygon: Polygon = { type: 'Polygon', coordinates: [ring] }
  return { polygon, km2: area(polygon) / 1e6 }
}

/** About 100 m. */
const DECIMALS = 3

/** Land, borders and names of the base map as GeoJSON texts. Each is read from its package with the first call. */
export function createAtlas() {
  const readNames = async (language: Language) => {
    const [countries, states] = await Promise.all([readTopology(COUNTRIES), readTopology(STATES)])
    return toRegionNames({ countries: toCollection(countries, 'countries'), states: toCollection(states, 'states') }, language)
  }
  const names = new Map(languages.map((language) => [language, once(async () => toText(await readNames(language)))]))
  return {
    land: once(async () => toText((await readLand()).map(toFeature))),
    borders: once(async () => toText((await readBorders()).map(toFeature))),
    names: async (language: Language) => (names.get(language) ?? names.get('en'))?.() ?? '',
    /** The names of all regions in English. */
    regionNames: once(async () => new Set((await readNames('en')).map(({ properties }) => String(properties?.['name'])))),
  }
}

const objectOf = (topology: Topology, name: string) => topology.objects[name] as GeometryCollection<{ name: string }>

const toCollection = (topology: Topology, name: string) => feature(topology, objectOf(topology, name))

const toFeature = (geometry: Geometry): Feature => ({ type: 'Feature', properties: {}, geometry })

/** Returns a collection as JSON with rounded coordinates. */
function toText(features: readonly Feature<Geometry, unknown>[]): string {
  const factor = 10 ** DECIMALS
  return JSON.stringify({ type: 'FeatureCollection', features }, (_key, value: unknown) =>
    typeof value === 'number' ? Math.round(value * factor) / factor : value,
  )
}
