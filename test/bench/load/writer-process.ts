import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import type { WriteJob, WriteSpeed, WriteTurn } from './write-load.ts'

export interface Writers {
  write(turn: WriteTurn): Promise<WriteSpeed>
  close(): Promise<void>
}

/** @throws {Error} if the writers could not start or ended early; they log the reason */
export async function openWriters(job: WriteJob): Promise<Writers> {
  const child = fork(fileURLToPath(new URL('write-load.ts', import.meta.url)), [JSON.stringify(job)])
  await receive(child)
  return {
    write: async (turn) => {
      child.send(turn)
      return (await receive(child)) as WriteSpeed
    },
    close: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

async function receive(child: ChildProcess): Promise<unknown> {
  const over = new AbortController()
  try {
    const [answer] = (await Promise.race([
      once(child, 'message', { signal: over.signal }),
      once(child, 'exit', { signal: over.signal }).then(() => {
        throw new Error('The writers ended too early.')
      }),
    ])) as [unknown]
    return answer
  } finally {
    over.abort()
  }
}
