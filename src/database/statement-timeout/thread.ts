import { Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'

import { CANCEL, type SharedDeadline } from './deadline.ts'

/** A statement ends up to this much later than its limit. */
const POLL_MS = 50

const { deadline, sleep } = workerData as SharedDeadline
for (;;) {
  const current = Atomics.load(deadline, 0)
  if (current === 0n) Atomics.wait(deadline, 0, 0n)
  else Atomics.wait(sleep, 0, 0, POLL_MS)
  if (current !== 0n && BigInt(Date.now()) > current) cancel()
}

/**
 * The inspector protocol is the only interface by which one thread runs a function in another one that is inside WebAssembly. A session that
 * stayed open would make Node print "Waiting for the debugger to disconnect" when the process ends.
 */
function cancel(): void {
  const session = new Session()
  session.connectToMainThread()
  session.post('Runtime.evaluate', { expression: `${CANCEL}()` })
  session.disconnect()
}
