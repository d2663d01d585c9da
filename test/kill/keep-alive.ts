import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

export interface RestartedProcess {
  readonly name: string
  /** Number of starts, counted with the next one if no process lives. */
  readonly generation: number
  /** Whether the process lives and has reported that it is ready. */
  readonly isReady: boolean
  /** Kills the process with SIGKILL and restarts it after the pause. Waits for a process that is being restarted. */
  kill(pause_ms: number): Promise<void>
  /** Ends the process without a restart. */
  stop(): Promise<void>
}

export interface KeepAliveOptions {
  /** Starts the process; `generation` is the number of starts. */
  readonly begin: (generation: number) => ChildProcess
  /** Matches the output of a process that is ready. */
  readonly ready: string
  /** Kills the process and its children. */
  readonly end?: (child: ChildProcess) => Promise<void>
}

/** Pause before a process that ended by itself is restarted, as by a container engine. */
const RESTART_MS = 200
const LOOK_MS = 10

/** Restarts a process whenever it ends. */
export function keepAlive(name: string, { begin, ready, end = killAndWait }: KeepAliveOptions): RestartedProcess {
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
