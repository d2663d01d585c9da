import type { Reading, SourceRow } from './reading/source-row.ts'

export interface BatchSize {
  readonly rows: number
  readonly characters: number
}

/** Reads the next batch meanwhile. If reading fails, the batches before the error are still processed. */
export async function eachBatch(
  reading: Reading,
  size: BatchSize,
  signal: AbortSignal | undefined,
  process: (rows: SourceRow[]) => Promise<void>,
): Promise<void> {
  let processing = Promise.resolve()
  try {
    for await (const rows of groupIntoBatches(reading, size)) {
      await processing
      if (signal?.aborted) return
      processing = process(rows)
      // Prevents an unhandled rejection; the error is thrown by the next await.
      processing.catch(() => {})
    }
  } finally {
    await processing
  }
}

async function* groupIntoBatches({ chunks }: Reading, size: BatchSize): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = []
  let characters = 0
  try {
    for await (const chunk of chunks) {
      for (const row of chunk) {
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
