import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import { type Limiter, limitConcurrency } from '../../http/request/concurrency-limit.ts'
import { damagedImage } from '../strip-metadata/byte-ranges.ts'
import type { WorkerInput, WorkerResult } from './decode-heic-worker.ts'

/** Enough for 64 million pixels with 8 bits: half of it for the decoded planes, half for the same as red, green and blue. */
const MEMORY_MAX = 536_870_912
const JAVASCRIPT_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }
const DECODING_MAX_MS = 15_000
/** Each worker may use half a gigabyte, so images are decoded one by one. */
const CONCURRENCY_LIMITS = { concurrency: 1, queueMax: 40, waitMaxMs: 30_000 }

const limitWorkers = limitConcurrency(CONCURRENCY_LIMITS)

export interface HeicLimits {
  readonly pixelsMax: number
  readonly tooManyPixels: () => Error
  /** Runs the decoding, in a slot of the queue. */
  readonly timed?: Limiter
  /** Tests pass less. */
  readonly memoryMax?: number
  readonly timeMaxMs?: number
}

/**
 * Decodes the primary image of a HEIC file to a PNG with a colour profile and no other metadata, upright. Each image gets a new worker thread
 * with an instance of libheif of its own, so nothing of one image is left for the next.
 * @throws ImageRefused if the image is damaged, too large or too slow to decode; Problem 503 if too many images are queued
 */
export function decodeHeic(from: string, to: string, limits: HeicLimits): Promise<void> {
  const { pixelsMax, tooManyPixels, memoryMax = MEMORY_MAX, timeMaxMs = DECODING_MAX_MS, timed = (work) => work() } = limits
  return limitWorkers(async () => {
    const result = await timed(() => runWorker({ from, to, pixelsMax, memoryMax }, timeMaxMs))
    if (result === 'too many pixels') throw tooManyPixels()
    if (result === 'damaged') throw damagedImage()
  })
}

async function runWorker(workerData: WorkerInput, timeMaxMs: number): Promise<WorkerResult> {
  const worker = new Worker(new URL('./decode-heic-worker.ts', import.meta.url), { workerData, resourceLimits: JAVASCRIPT_LIMITS })
  try {
    const [result] = (await once(worker, 'message', { signal: AbortSignal.timeout(timeMaxMs) })) as [WorkerResult]
    return result
  } catch (error) {
    if (isOverLimit(error as NodeJS.ErrnoException)) throw damagedImage(error)
    throw error
  } finally {
    await worker.terminate()
  }
}

const isOverLimit = ({ name, code }: NodeJS.ErrnoException) => name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY'
