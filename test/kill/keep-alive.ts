import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

export interface KeptAlive {
  readonly name: string
  /** How often it was started; that of the process that lives, or of the next one. */
  readonly generation: number
  /** Ends the process with -9, whatever it does; it is started again after the pause. Waits for one that is not there just now. */
  kill(pause_ms: number): Promise<void>
  /** For good. */
  stop(): Promise<void>
}

/** Who ends by itself, because what it needs is away, is started again after this, as a container engine would. */
const RESTART_MS = 200
const LOOK_MS = 10

/**
 * Keeps a process alive.
 * @param begin starts it; its generation is how often that happened
 * @param end kills it and whatever belongs to it
 */
export function keepAlive(
  name: string,
  begin: (generation: number) => ChildProcess,
  end: (child: ChildProcess) => Promise<void> = killAndWait,
): KeptAlive {
  let generation = 0
  let child: ChildProcess | undefined
  let pause_ms = RESTART_MS
  let isStopped = false

  const start = () => {
    if (isStopped) return
    generation += 1
    const begun = begin(generation)
    child = begun
    begun.once('exit', () => {
      child = undefined
      setTimeout(start, pause_ms)
      pause_ms = RESTART_MS
    })
  }
  start()

  return {
    name,
    get generation() {
      return generation
    },
    async kill(ms) {
      while (!child && !isStopped) await pause(LOOK_MS)
      pause_ms = ms
      if (child) await end(child)
    },
    async stop() {
      isStopped = true
      if (child) await end(child)
    },
  }
}

export async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGKILL')
  await ended
}
