import type { Reading, SourceRow } from './reading/source-row.ts'

export interface BatchSize {
  readonly rows: number
  /** Maximum size of a batch in characters. */
  readonly characters: number
}

/**
 * Does `work` on one batch after the other, while the next one is being read already. Stops after a batch when `signal` says so.
 * When the reading fails, what was read before is still worked on.
 */
export async function eachBatch(
  reading: Reading,
  size: BatchSize,
  signal: AbortSignal | undefined,
  work: (rows: SourceRow[]) => Promise<void>,
): Promise<void> {
  let working = Promise.resolve()
  try {
    for await (const rows of groupIntoBatches(reading, size)) {
      await working
      if (signal?.aborted) return
      working = work(rows)
      // Awaited with the next batch; until then a failure would count as one that nobody sees.
      working.catch(() => {})
    }
  } finally {
    await working
  }
}

/** Gathers rows into batches. */
async function* groupIntoBatches({ portions }: Reading, size: BatchSize): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = []
  let characters = 0
  try {
    for await (const portion of portions) {
      for (const row of portion) {
        batch.push(row)
        characters += countCharacters(row)
        if (batch.length < size.rows && characters < size.characters) continue
        yield batch
        batch = []
        characters = 0
      }
    }
  } catch (error) {
    if (batch.length > 0) yield batch
    throw error
  }
  if (batch.length > 0) yield batch
}

function countCharacters(row: SourceRow): number {
  let characters = (row.size ?? 0) + (row.raw?.length ?? 0)
  if (row.feature !== undefined) return characters
  for (const value of Object.values(row.values)) if (typeof value === 'string') characters += value.length
  return characters
}
