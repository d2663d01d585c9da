import { open } from 'node:fs/promises'

import type { Feature, Layer, OpenWriter } from './writer.ts'

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
