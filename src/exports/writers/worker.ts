import { Worker } from 'node:worker_threads'

import type { Feature, FeatureWriter, Layer, OpenWriter } from '../../gis/downloads/writer.ts'

/** The formats that a worker thread writes, by the ending of the file. */
export const workerFormats = ['fgb', 'parquet', 'gpkg'] as const
export type WorkerFormat = (typeof workerFormats)[number]

export interface WriteJob {
  readonly format: WorkerFormat
  readonly path: string
  readonly layer: Layer
}

/** A task of the thread. It answers each with one message, in the same order. */
export type WriteTask = { readonly features: readonly Feature[] } | 'end'

const POSITIONS_MAX = 50_000
/** The limits are far above the need, because Node ends the whole process, not only the thread, if one allocation exceeds the limit. */
const limits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

/** A writer whose thread runs until `end` or `abort`. */
interface WorkerWriter extends FeatureWriter {
  /** Stops the thread, which closes its files. Unfinished calls reject. It may be called more than once. */
  abort(): Promise<void>
}

/**
 * Opens a writer in a thread of its own, because encoding would keep this one busy for seconds. `write` resolves when the thread has written
 * all earlier batches, so that at most two are in memory.
 *
 * @throws the error of the writer, or an error if the thread ended before the file was complete
 */
export async function openInWorker(format: WorkerFormat, path: string, layer: Layer): Promise<WorkerWriter> {
  const worker = new Worker(new URL('./worker-thread.ts', import.meta.url), {
    workerData: { format, path, layer } satisfies WriteJob,
    resourceLimits: limits,
    execArgv: [],
  })
  const { run, fail, throwIfFailed, ended } = createTasks(worker)
  await run()
  let previous = Promise.resolve()
  return {
    async write(features) {
      for (const part of splitByPositions(features)) {
        const earlier = previous
        previous = run({ features: part })
        // The next call waits for this promise and reports its error.
        previous.catch(() => undefined)
        await earlier
        throwIfFailed()
      }
    },
    async end() {
      await previous
      await run('end')
      await ended
    },
    async abort() {
      fail(new Error('The file was abandoned'))
      await ended
    },
  }
}

/** Returns `openInWorker` for a format. */
export const inWorker =
  (format: WorkerFormat): OpenWriter =>
  (path, layer) =>
    openInWorker(format, path, layer)

/** Yields parts with at most `POSITIONS_MAX` positions, or of one feature, because boundaries may have very many. */
function* splitByPositions(features: readonly Feature[]): Generator<readonly Feature[]> {
  let from = 0
  let positions = 0
  for (const [index, { geometry }] of features.entries()) {
    const count = geometry.type === 'Point' ? 1 : geometry.coordinates.flat().reduce((sum, ring) => sum + ring.length, 0)
    if (index > from && positions + count > POSITIONS_MAX) {
      yield features.slice(from, index)
      from = index
      positions = 0
    }
    positions += count
  }
  if (from < features.length) yield features.slice(from)
}

function createTasks(worker: Worker) {
  const waiting: PromiseWithResolvers<void>[] = []
  let failure: unknown
  const fail = (reason: unknown) => {
    failure ??= reason
    for (const task of waiting.splice(0)) task.reject(failure)
    void worker.terminate()
  }
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  worker.on('message', () => waiting.shift()?.resolve())
  worker.on('error', fail)
  worker.on('exit', () => {
    fail(new Error('The thread that writes the file ended early'))
    resolve()
  })
  const throwIfFailed = () => {
    if (failure !== undefined) throw failure as Error
  }
  return {
    fail,
    throwIfFailed,
    /** Resolves when the thread has answered. Without a task it waits for the first message, which says that the file is open. */
    async run(task?: WriteTask): Promise<void> {
      throwIfFailed()
      const answer = Promise.withResolvers<void>()
      waiting.push(answer)
      if (task !== undefined) worker.postMessage(task)
      return answer.promise
    },
    ended,
  }
}
