import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'

import { damagedImage } from '../strip-metadata/image-refused.ts'
import type { WorkerInput, WorkerResult } from './decode-heic-worker.ts'

/** Enough for 64 million pixels with 8 bits: half of it for the decoded planes, half for the same as red, green and blue. */
const MEMORY_MAX = 536_870_912
const JAVASCRIPT_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }
/**
 * Limits of the processor time, because a file of 10 kB can name a picture hundreds of times. A worker needs 200 ms before it decodes;
 * pictures of phones took up to 2,300 ms for each megabyte.
 */
const CPU_OF_ANY_FILE_MS = 500
const CPU_PER_MEGABYTE_MS = 10_000
const CPU_MAX_MS = 15_000
const CPU_CHECK_MS = 50
/** A busy machine takes several times the processor time. */
const DECODING_MAX_MS = 60_000

export interface HeicLimits {
  readonly pixelsMax: number
  readonly tooManyPixels: () => Error
  /** Tests pass less. */
  readonly memoryMax?: number
  readonly timeMaxMs?: number
}

/**
 * Decodes the primary image of a HEIC file to a PNG with a colour profile and no other metadata, upright. Each image gets a new worker thread
 * with an instance of libheif of its own, so nothing of one image is left for the next. Call it for one image at a time, because a worker may use
 * half a gigabyte.
 * @throws ImageRefused if the image is damaged, too large or too slow to decode
 */
export async function decodeHeic(from: string, to: string, limits: HeicLimits): Promise<void> {
  const { pixelsMax, tooManyPixels, memoryMax = MEMORY_MAX, timeMaxMs = DECODING_MAX_MS } = limits
  const { size } = await stat(from)
  const cpuMaxMs = Math.min(CPU_MAX_MS, CPU_OF_ANY_FILE_MS + (CPU_PER_MEGABYTE_MS * size) / 1e6)
  const result = await runWorker({ from, to, pixelsMax, memoryMax }, { timeMaxMs, cpuMaxMs })
  if (result === 'too many pixels') throw tooManyPixels()
  if (result === 'damaged') throw damagedImage()
}

interface TimeLimits {
  readonly timeMaxMs: number
  readonly cpuMaxMs: number
}

async function runWorker(workerData: WorkerInput, { timeMaxMs, cpuMaxMs }: TimeLimits): Promise<WorkerResult> {
  const worker = new Worker(new URL('./decode-heic-worker.ts', import.meta.url), { workerData, resourceLimits: JAVASCRIPT_LIMITS })
  const tooSlow = new AbortController()
  const checkTime = async () => {
    const { user, system } = await worker.cpuUsage()
    if ((user + system) / 1_000 > cpuMaxMs) tooSlow.abort()
  }
  // A worker that has not started or has ended has no usage.
  const timer = setInterval(() => void checkTime().catch(() => undefined), CPU_CHECK_MS)
  try {
    const signal = AbortSignal.any([tooSlow.signal, AbortSignal.timeout(timeMaxMs)])
    const [result] = (await once(worker, 'message', { signal })) as [WorkerResult]
    return result
  } catch (error) {
    if (isOverLimit(error as NodeJS.ErrnoException)) throw damagedImage(error)
    throw error
  } finally {
    clearInterval(timer)
    await worker.terminate()
  }
}

const isOverLimit = ({ name, code }: NodeJS.ErrnoException) => name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY'
