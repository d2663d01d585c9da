import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

import { decodePrimaryImage, TooManyPixels } from './decode-primary-image.ts'
import { loadLibheif } from './libheif.ts'
import { type Pixels, writePng } from './png-file.ts'

export interface WorkerInput {
  readonly from: string
  readonly to: string
  readonly pixelsMax: number
  /** Limit of the memory of WebAssembly in bytes; `resourceLimits` do not include it. */
  readonly memoryMax: number
}

export type WorkerResult = 'decoded' | 'too many pixels' | 'damaged'

/** Entry of the worker thread: writes the primary image as PNG. */
const { from, to, pixelsMax, memoryMax } = workerData as WorkerInput
const file = readFileSync(from)
const libheif = loadLibheif(memoryMax)
const decoded = decode()
if (typeof decoded === 'object') await writePng(to, decoded)
parentPort?.postMessage((typeof decoded === 'object' ? 'decoded' : decoded) satisfies WorkerResult)

/** WebAssembly that is aborted or reads beyond its memory throws as well. */
function decode(): Pixels | WorkerResult {
  try {
    return decodePrimaryImage(libheif, file, pixelsMax)
  } catch (error) {
    return error instanceof TooManyPixels ? 'too many pixels' : 'damaged'
  }
}
