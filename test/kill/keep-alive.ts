import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

export interface KeptAlive {
  readonly name: string
  /** How often it was started; that of the process that lives, or of the next one. */
  readonly generation: number
  /** Whether the process lives and has said that it is ready. */
  readonly isReady: boolean
  /** Ends the process with -9, whatever it does; it is started again after the pause. Waits for one that is not there just now. */
  kill(pause_ms: number): Promise<void>
  /** For good. */
  stop(): Promise<void>
}

export interface KeepAliveOptions {
  /** Starts it; its generation is how often that happened. */
  readonly begin: (generation: number) => ChildProcess
  /** What it prints when it is ready. */
  readonly ready: string
  /** Kills it and whatever belongs to it. */
  readonly end?: (child: ChildProcess) => Promise<void>
}

/** Who ends by itself, because what it needs is away, is started again after this, as a container engine would. */
const RESTART_MS = 200
const LOOK_MS = 10

/** Keeps a process alive. */
export function keepAlive(name: string, { begin, ready, end = killAndWait }: KeepAliveOptions): KeptAlive {
  let generation = 0
  let child: ChildProcess | undefined
  let isReady = false
  let pause_ms = RESTART_MS
  let isStopped = false

  const start = () => {
    if (isStopped) return
    generation += 1
    const begun = begin(generation)
    child = begun
    for (const stream of [begun.stdout, begun.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        if (child === begun && chunk.includes(ready)) isReady = true
      })
    }
    begun.once('exit', () => {
      child = undefined
      isReady = false
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
    get isReady() {
      return isReady
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
