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

/** Kills as planned and writes down what it did. Half way Redis is emptied as well. */
export async function killAsPlanned(plan: readonly PlannedKill[], victims: Victims, diary: Diary): Promise<void> {
  const recoveries: Promise<void>[] = []
  for (const [n, planned] of plan.entries()) {
    await pause(planned.after_ms)
    const doomed = doomedBy(planned, victims)
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

function doomedBy({ kind, number }: PlannedKill, { web, worker, postgres, redis }: Victims): KeptAlive[] {
  const one = (list: readonly KeptAlive[]) => list.slice(number % list.length).slice(0, 1)
  switch (kind) {
    case 'web':
      return one(web)
    case 'worker':
      return one(worker)
    case 'redis':
      return redis ? [redis] : []
    case 'postgres':
      return [postgres]
    case 'all':
      return [...web, ...worker, ...(redis ? [redis] : []), postgres]
  }
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
