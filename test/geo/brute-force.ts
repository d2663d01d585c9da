import booleanPointInPolygon from '@turf/boolean-point-in-polygon'
import type { MultiPolygon, Polygon } from 'geojson'

import type { Status } from '../../src/issue-lifecycle/status.ts'
import type { KnownIssue } from './world.ts'

/* Computes expected responses by other methods than the service: distances by vectors, views in pixels, polygons by exact arithmetic. */

interface Point {
  readonly lng: number
  readonly lat: number
}

export interface Corners {
  readonly min_lat: number
  readonly min_lng: number
  readonly max_lat: number
  readonly max_lng: number
}

export const isInBox =
  ({ min_lat, min_lng, max_lat, max_lng }: Corners) =>
  ({ lng, lat }: Point): boolean => {
    if (lat < min_lat || lat > max_lat) return false
    return meridiansOf(lng).some((at) => (min_lng <= max_lng ? at >= min_lng && at <= max_lng : !(at < min_lng && at > max_lng)))
  }

/** Longitudes 180 and -180 are the same meridian. */
const meridiansOf = (lng: number) => (Math.abs(lng) === 180 ? [-180, 180] : [lng])

const TILE_PIXELS = 256
const MAP_PIXELS = 1024
/** The maximum latitude of Web Mercator. */
const MAP_END = 85.051_128_779_806_59
const CENTRE_MAX = 85.0511

/** Returns Web Mercator pixels from the left and from the top of the world. */
function pixelOf({ lng, lat }: Point, worldPixels: number) {
  const sine = Math.sin((lat * Math.PI) / 180)
  const y = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
  return { x: (lng / 360 + 0.5) * worldPixels, y: y * worldPixels }
}

/** Returns whether a map of 1024 × 1024 pixels shows a point, or 'edge' if the result depends on rounding. */
export function showsAt(centre: Point, zoom: number) {
  const world = TILE_PIXELS * 2 ** zoom
  const middle = pixelOf({ lng: centre.lng, lat: Math.min(Math.max(centre.lat, -CENTRE_MAX), CENTRE_MAX) }, world)
  return (point: Point): boolean | 'edge' => {
    if (Math.abs(Math.abs(point.lat) - MAP_END) < 1e-9) return 'edge'
    if (Math.abs(point.lat) > MAP_END) return false
    const { x, y } = pixelOf(point, world)
    const across = Math.abs(x - middle.x)
    const reach = Math.max(Math.min(across, world - across), Math.abs(y - middle.y))
    if (Math.abs(reach - MAP_PIXELS / 2) < 1e-5) return 'edge'
    return reach < MAP_PIXELS / 2
  }
}

/** Returns whether a polygon covers a point. The edges of the outer ring and of holes are part of it. */
export const isCoveredBy =
  (area: Polygon | MultiPolygon) =>
  ({ lng, lat }: Point): boolean =>
    booleanPointInPolygon([lng, lat], area)

const EARTH_RADIUS_M = 6_371_008.771_415

/** Returns the distance on the sphere in metres. The angle between vectors is equally exact for near and for opposite points. */
export function metresBetween(one: Point, other: Point): number {
  const [a, b] = [vectorOf(one), vectorOf(other)]
  const cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
  return EARTH_RADIUS_M * Math.atan2(Math.hypot(...cross), a[0] * b[0] + a[1] * b[1] + a[2] * b[2])
}

function vectorOf({ lng, lat }: Point): [number, number, number] {
  const [east, north] = [(lng * Math.PI) / 180, (lat * Math.PI) / 180]
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)]
}

export interface Wanted {
  readonly statuses?: readonly Status[]
  readonly after?: string
  readonly before?: string
  readonly updated_at_after?: string
  readonly updated_at_before?: string
}

export function isWanted({ statuses = ['Open', 'Acknowledged', 'Closed'], ...times }: Wanted) {
  return (issue: KnownIssue): boolean =>
    issue.moderation_state === 'passed' &&
    statuses.includes(issue.status) &&
    isFrom(issue.created_at, times.after, times.before) &&
    isFrom(issue.updated_at, times.updated_at_after, times.updated_at_before)
}

const isFrom = (timestamp: string, from?: string, before?: string) =>
  (from === undefined || Date.parse(timestamp) >= Date.parse(from)) &&
  (before === undefined || Date.parse(timestamp) < Date.parse(before))

export type Direction = 'ASC' | 'DESC'

/** Compares by the key, then by the id in the same direction. */
export function inOrder(key: (issue: KnownIssue) => number, direction: Direction) {
  const sign = direction === 'ASC' ? 1 : -1
  return (one: KnownIssue, other: KnownIssue): number => sign * (key(one) - key(other) || one.id - other.id)
}

export const newestFirst = inOrder((issue) => Date.parse(issue.created_at), 'DESC')

export const idsOf = (issues: readonly KnownIssue[]): number[] => issues.map(({ id }) => id)
