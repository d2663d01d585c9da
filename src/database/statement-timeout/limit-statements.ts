import type { PGlite } from '@electric-sql/pglite'
import { AsyncLocalStorage } from 'node:async_hooks'
import { Worker } from 'node:worker_threads'

import { CANCEL, type SharedDeadline } from './deadline.ts'

/*
 * The embedded engine occupies the thread of the process while a statement runs, so PostgreSQL's own `statement_timeout` never fires: its timer
 * waits for the same thread. Another thread watches the deadline and sets the flags that PostgreSQL checks between rows
 * (CHECK_FOR_INTERRUPTS). One thread serves all engines of the process, because only one statement runs at a time.
 */

/** The memory of the engine, and addresses in it. The types of PGlite have no variables of PostgreSQL. */
interface EngineMemory {
  readonly HEAPU8: Uint8Array
  readonly _InterruptPending: number
  readonly _QueryCancelPending: number
}

const shared: SharedDeadline = {
  deadline: new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)),
  sleep: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
}
let thread: Worker | undefined
let running: { readonly engine: PGlite; readonly end: number } | undefined

const limits = new AsyncLocalStorage<number>()

/** Runs `work`, whose statements on the embedded engine each get this limit; Infinity is none. */
export const withStatementLimit = <Result>(limit_ms: number, work: () => Promise<Result>): Promise<Result> =>
  limits.run(limit_ms, async () => await work())

/**
 * Cancels each statement of the engine that runs for longer than its limit (SQLSTATE 57014), as a server does.
 * @param defaultLimit_ms the limit outside of `withStatementLimit`
 */
export function limitStatements(engine: PGlite, defaultLimit_ms: number): void {
  setFlags(engine, 0)
  thread ??= startThread()
  const execute = engine.execProtocolRawSync.bind(engine)
  engine.execProtocolRawSync = (message) => {
    const limit_ms = limits.getStore() ?? defaultLimit_ms
    if (running || limit_ms === Infinity) return execute(message)
    const end = Date.now() + limit_ms
    running = { engine, end }
    Atomics.store(shared.deadline, 0, BigInt(end))
    Atomics.notify(shared.deadline, 0)
    try {
      return execute(message)
    } finally {
      Atomics.store(shared.deadline, 0, 0n)
      running = undefined
      // A flag that was set after the last check would cancel the next statement.
      setFlags(engine, 0)
    }
  }
}

function startThread(): Worker {
  const cancelOverdue = () => {
    if (running && Date.now() >= running.end) setFlags(running.engine, 1)
  }
  Object.assign(globalThis, { [CANCEL]: cancelOverdue })
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: shared, execArgv: [] })
  worker.unref()
  return worker
}

/** @throws Error if the engine does not export the flags, as after an update of PGlite */
function setFlags({ Module }: PGlite, value: 0 | 1): void {
  const { HEAPU8, _InterruptPending, _QueryCancelPending } = Module as unknown as Partial<EngineMemory>
  if (!HEAPU8 || _InterruptPending === undefined || _QueryCancelPending === undefined)
    throw new Error('The embedded engine has no flags that cancel a statement')
  HEAPU8[_QueryCancelPending] = value
  HEAPU8[_InterruptPending] = value
}
