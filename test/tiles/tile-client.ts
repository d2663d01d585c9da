import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'

import type { TestApp } from '../helpers/use-app.ts'

export interface TileFeature {
  readonly id?: number | undefined
  readonly x: number
  readonly y: number
  readonly properties: Readonly<Record<string, string | number | boolean>>
}

/** Returns the features of the layer `issues`, those of the buffer included. */
export function decodeTile(body: Uint8Array): TileFeature[] {
  const layer = new VectorTile(new PbfReader(body)).layers['issues']
  return Array.from({ length: layer?.length ?? 0 }, (_, n) => {
    const feature = layer?.feature(n)
    const [position] = feature?.loadGeometry().flat() ?? []
    return { id: feature?.id, x: position?.x ?? NaN, y: position?.y ?? NaN, properties: feature?.properties ?? {} }
  })
}

/** Returns the features that count in this tile. */
export const insideTile = (features: readonly TileFeature[]) =>
  features.filter(({ x, y }) => x >= 0 && x < 4096 && y >= 0 && y < 4096)

export const countIssuesIn = (features: readonly TileFeature[]) =>
  insideTile(features).reduce((sum, { properties }) => sum + Number(properties['point_count'] ?? 1), 0)

/** Requests a tile such as `12/1204/1531`. */
export async function fetchTile(app: Pick<TestApp, 'fastify'>, path: string, query = '', headers: Record<string, string> = {}) {
  const url = `/tiles/issues/${path}.mvt${query}`
  const response = await app.fastify.inject({ method: 'GET', url, headers: { 'user-agent': 'fixpoint-tests', ...headers } })
  const body = response.rawPayload
  return {
    status: response.statusCode,
    headers: response.headers,
    body,
    features: response.statusCode === 200 && response.headers['content-encoding'] === undefined ? decodeTile(body) : [],
  }
}

/** Returns the path of the tile of a point by the usual formula of slippy maps. */
export function tileAt({ lng, lat }: { readonly lng: number; readonly lat: number }, z: number): string {
  const { x, y } = positionAt({ lng, lat }, z)
  return `${z}/${x}/${y}`
}

export function positionAt({ lng, lat }: { readonly lng: number; readonly lat: number }, z: number) {
  const tiles = 2 ** z
  const clamp = (index: number) => Math.min(Math.max(Math.floor(index), 0), tiles - 1)
  const radians = (lat * Math.PI) / 180
  const y = ((1 - Math.log(Math.tan(radians) + 1 / Math.cos(radians)) / Math.PI) / 2) * tiles
  return { x: clamp(((lng + 180) / 360) * tiles), y: clamp(Math.abs(lat) > 85.0511288 ? (lat > 0 ? 0 : tiles) : y) }
}
