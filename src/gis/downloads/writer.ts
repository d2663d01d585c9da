import type { MultiPolygon, Point } from 'geojson'
import { open } from 'node:fs/promises'

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

/** The parts of a text file of features. */
export interface FeatureEncoder {
  readonly start: string
  /** @param index the number of features before this one */
  encode(feature: Feature, index: number): string
  /** @param count the number of features */
  end(count: number): string
}

/** Returns a writer that encodes features as UTF-8 text, one write for each batch. */
export const textWriter =
  (createEncoder: (layer: Layer) => FeatureEncoder): OpenWriter =>
  async (path, layer) => {
    const encoder = createEncoder(layer)
    const file = await open(path, 'wx', 0o600)
    let count = 0
    let pending = encoder.start
    return {
      async write(features) {
        let text = pending
        pending = ''
        for (const feature of features) text += encoder.encode(feature, count++)
        await file.writeFile(text)
      },
      async end() {
        await file.writeFile(pending + encoder.end(count))
        await file.close()
      },
      abort: () => file.close(),
    }
  }
