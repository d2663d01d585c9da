import type { MultiPolygon, Point } from 'geojson'

import type { Column } from '../columns.ts'

/** The description that a file of features contains. */
export interface Layer {
  readonly name: string
  readonly title: string
  readonly geometry: 'Point' | 'MultiPolygon'
  readonly columns: readonly Column[]
  readonly licence: string
  readonly attribution: string
  /** The time of the download, ISO 8601 in UTC. */
  readonly createdAt?: string
}

export interface Feature {
  readonly id: number
  /** Longitude, latitude. */
  readonly geometry: Point | MultiPolygon
  /** The values are in the order of the layer's columns. A timestamp is ISO 8601 in UTC. */
  readonly values: readonly (string | number | null)[]
}

/** Writes one file. Features come in batches, by default in the order of their ids, so that memory stays constant. */
export interface FeatureWriter {
  write(features: readonly Feature[]): Promise<void>
  /** Completes the file. Without this call the file is unusable. */
  end(): Promise<void>
  /** Releases the file, threads and memory after an error of any call or of the caller. It may be called more than once. */
  abort?(): Promise<void>
}

/** @param path the file to create */
export type OpenWriter = (path: string, layer: Layer) => Promise<FeatureWriter>
