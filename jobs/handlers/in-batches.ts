import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/**
 * Calls `work` with the size of a batch until it finds less, and returns the number of rows of all batches. Other work of the process runs in between: the
 * embedded database replies in the same turn of the event loop, so requests would otherwise wait for the last batch.
 */
export async function inBatches(
  size: number,
  signal: AbortSignal | undefined,
  work: (size: number) => Promise<number>,
): Promise<number> {
  let total = 0
  for (let batch = size; batch === size && !signal?.aborted; total += batch) {
    batch = await work(size)
    await yieldToEventLoop()
  }
  return total
}
