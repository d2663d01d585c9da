import { Redis } from 'ioredis'
import { setTimeout as pause } from 'node:timers/promises'

import { type Diary, nameOf } from './diary.ts'
import type { KeptAlive } from './keep-alive.ts'
import type { PlannedKill } from './plan.ts'
import { untilAnswers } from './servers.ts'

export interface Victims {
  readonly web: readonly KeptAlive[]
  readonly worker: readonly KeptAlive[]
  readonly postgres: KeptAlive & { readonly url: string }
  readonly redis: (KeptAlive & { readonly url: string }) | undefined
}

const LOOK_MS = 20

export interface Killing {
  readonly plan: readonly PlannedKill[]
  readonly victims: Victims
  readonly diary: Diary
  /** So many writes are answered between two kills, so that on a slow machine, too, it is work that is cut off. */
  readonly writes: number
  readonly countWrites: () => number
  /** For that, and for a victim to be ready, a kill waits no longer than this. */
  readonly wait_max_ms: number
}

/** Kills as planned and writes down what it did. Half way Redis is emptied as well. */
export async function killAsPlanned({ plan, victims, diary, writes, countWrites, wait_max_ms }: Killing): Promise<void> {
  const recoveries: Promise<void>[] = []
  for (const [n, planned] of plan.entries()) {
    const [written, until] = [countWrites(), Date.now() + wait_max_ms]
    await pause(planned.after_ms)
    while (countWrites() < written + writes && Date.now() < until) await pause(LOOK_MS)
    const doomed = await doomedBy(planned, victims, until)
    const at = Date.now()
    diary.kills.push({ at, kind: planned.kind })
    await Promise.all(
      doomed.map(async (one) => {
        await one.kill(planned.pause_ms)
        diary.deaths.set(nameOf(one.name, one.generation), Date.now())
      }),
    )
    if (doomed.includes(victims.postgres)) recoveries.push(noteOutage(diary, at, victims.postgres.url))
    if (n + 1 === Math.floor(plan.length / 2) && victims.redis) await flush(victims.redis.url, diary)
  }
  await Promise.all(recoveries)
}

async function doomedBy(planned: PlannedKill, { web, worker, postgres, redis }: Victims, until: number): Promise<KeptAlive[]> {
  const all = { web, worker, postgres: [postgres], redis: redis ? [redis] : [] }
  if (planned.kind === 'all') return Object.values(all).flat()
  const list = all[planned.kind]
  const inOrder = [...list.slice(planned.number % list.length), ...list].slice(0, list.length)
  while (!planned.early && Date.now() < until) {
    const ready = inOrder.find(({ isReady }) => isReady)
    if (ready) return [ready]
    await pause(LOOK_MS)
  }
  return inOrder.slice(0, 1)
}

async function noteOutage(diary: Diary, from: number, url: string): Promise<void> {
  const outage = { from, to: Number.POSITIVE_INFINITY }
  diary.outages.push(outage)
  await untilAnswers(url)
  outage.to = Date.now()
}

async function flush(url: string, diary: Diary): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: null })
  redis.on('error', () => undefined)
  try {
    await redis.flushall()
    diary.flushes += 1
  } finally {
    redis.disconnect()
  }
}
