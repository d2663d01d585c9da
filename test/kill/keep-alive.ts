import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

export interface RestartedProcess {
  readonly name: string
  /** Number of starts, counted with the next one if no process lives. */
  readonly generation: number
  /** True if the process lives and has reported that it is ready. */
  readonly isReady: boolean
  /** Kills the process with SIGKILL and restarts it after the pause. Waits for a process that is being restarted. */
  kill(pause_ms: number): Promise<void>
  stop(): Promise<void>
}

export interface KeepAliveOptions {
  readonly begin: (generation: number) => ChildProcess
  readonly ready: string
  readonly end?: (child: ChildProcess) => Promise<void>
}

/** Pause before a process that ended by itself is restarted, as by a container engine. */
const RESTART_MS = 200
const POLL_MS = 10

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
      while (!child && !isStopped) await pause(POLL_MS)
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
