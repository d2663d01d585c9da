import { bboxClip } from '@turf/bbox-clip'
import type { Geometry, MultiLineString, Position } from 'geojson'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

import { type Box, boundingBox } from '../../geo/box.ts'

/* Land and borders of Natural Earth and the US Census, for the own base map and for drawn maps. */

export const COUNTRIES = 'world-atlas/countries-50m.json'
export const STATES = 'us-atlas/states-10m.json'

export const readLand = once(async (): Promise<readonly Geometry[]> => {
  const topology = await readTopology('world-atlas/land-50m.json')
  return feature(topology, topology.objects['land'] as GeometryCollection).features.map(({ geometry }) => geometry)
})

/** Returns the borders of countries and of the states of the United States. */
export const readBorders = once(async (): Promise<readonly MultiLineString[]> => [
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
export function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => (result ??= read())
}

export const readTopology = async (specifier: string) =>
  JSON.parse(await readFile(fileURLToPath(import.meta.resolve(specifier)), 'utf8')) as Topology

const toBorders = (topology: Topology, name: string) =>
  // Coasts and outer borders belong to one country only, and the land shows them.
  mesh(topology, topology.objects[name] as GeometryCollection, (a, b) => a !== b)
