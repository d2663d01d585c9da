import { Redis } from 'ioredis'
import { setTimeout as pause } from 'node:timers/promises'

import { type RunLog, processName } from './run-log.ts'
import type { RestartedProcess } from './keep-alive.ts'
import type { PlannedKill } from './plan.ts'
import { waitForPostgres } from './servers.ts'

export interface Targets {
  readonly web: readonly RestartedProcess[]
  readonly worker: readonly RestartedProcess[]
  readonly postgres: RestartedProcess & { readonly url: string }
  readonly redis: (RestartedProcess & { readonly url: string }) | undefined
}

const POLL_MS = 20

export interface KillOptions {
  readonly plan: readonly PlannedKill[]
  readonly targets: Targets
  readonly runLog: RunLog
  /** Minimum number of writes between two kills, so that kills interrupt work on slow machines, too. */
  readonly writes: number
  readonly countWrites: () => number
  /** Maximum time that a kill waits for these writes and for a process that is ready. */
  readonly wait_max_ms: number
}

/** Runs the planned kills and logs them. Redis is emptied after half of them. */
export async function runKills({ plan, targets, runLog, writes, countWrites, wait_max_ms }: KillOptions): Promise<void> {
  const recoveries: Promise<void>[] = []
  for (const [n, planned] of plan.entries()) {
    const [written, until] = [countWrites(), Date.now() + wait_max_ms]
    await pause(planned.after_ms)
    while (countWrites() < written + writes && Date.now() < until) await pause(POLL_MS)
    const killed = await chooseProcesses(planned, targets, until)
    const at = Date.now()
    runLog.kills.push({ at, kind: planned.kind })
    await Promise.all(
      killed.map(async (one) => {
        await one.kill(planned.pause_ms)
        runLog.deaths.set(processName(one.name, one.generation), Date.now())
      }),
    )
    if (killed.includes(targets.postgres)) recoveries.push(recordOutage(runLog, at, targets.postgres.url))
    if (n + 1 === Math.floor(plan.length / 2) && targets.redis) await flush(targets.redis.url, runLog)
  }
  await Promise.all(recoveries)
}

async function chooseProcesses(
  planned: PlannedKill,
  { web, worker, postgres, redis }: Targets,
  until: number,
): Promise<RestartedProcess[]> {
  const all = { web, worker, postgres: [postgres], redis: redis ? [redis] : [] }
  if (planned.kind === 'all') return Object.values(all).flat()
  const list = all[planned.kind]
  const inOrder = [...list.slice(planned.number % list.length), ...list].slice(0, list.length)
  while (!planned.early && Date.now() < until) {
    const ready = inOrder.find(({ isReady }) => isReady)
    if (ready) return [ready]
    await pause(POLL_MS)
  }
  return inOrder.slice(0, 1)
}

async function recordOutage(runLog: RunLog, from: number, url: string): Promise<void> {
  const outage = { from, to: Number.POSITIVE_INFINITY }
  runLog.outages.push(outage)
  await waitForPostgres(url)
  outage.to = Date.now()
}

async function flush(url: string, runLog: RunLog): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: null })
  redis.on('error', () => undefined)
  try {
    await redis.flushall()
    runLog.flushes += 1
  } finally {
    redis.disconnect()
  }
}
