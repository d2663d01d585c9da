import { setTimeout as pause } from 'node:timers/promises'

import type { Chance } from '../../prisma/seeds/chance.ts'
import type { Deed } from './deeds.ts'

/** What somebody was told about a deed: kept outside of the service, and believed. */
export interface Told {
  readonly deed: Deed
  readonly status: number
  /** The id of the issue that a report made. */
  readonly id: number | undefined
  readonly tries: number
  readonly answered_at: number
}

export interface WriterOptions {
  /** Of the web processes. */
  readonly urls: readonly string[]
  readonly chance: Chance
  readonly next: () => Deed
  readonly onTold: (told: Told) => void
  /** So many write at a time, each after a pause of about this. */
  readonly concurrency: number
  readonly pause_ms: number
}

const ANSWER_MAX_MS = 20_000
const AGAIN_MS = 150
/** A key whose request was killed is free after its lease; meanwhile others are written. */
const IN_FLIGHT_AGAIN_MS = 1_000

/** Writes until it is told to stop, and then brings every deed that was begun to its answer. */
export function startWriter({ urls, chance, next, onTold, concurrency, pause_ms }: WriterOptions) {
  const put_off: { deed: Deed; tries: number; at: number }[] = []
  let isStopping = false
  let isGivingUp = false
  const failures: Record<string, number> = {}
  const fail = (name: string) => (failures[name] = (failures[name] ?? 0) + 1)

  const write = async (deed: Deed, triesBefore: number) => {
    for (let tries = triesBefore + 1; !isGivingUp; tries++) {
      const answer = await ask(chance.among(urls), deed)
      if (answer?.status === 409) {
        put_off.push({ deed, tries, at: Date.now() + IN_FLIGHT_AGAIN_MS })
        return
      }
      if (!answer || answer.status >= 500) fail(answer ? String(answer.status) : 'no answer')
      if (answer && answer.status < 500 && answer.status !== 429) {
        onTold({ deed, ...answer, tries, answered_at: Date.now() })
        return
      }
      await pause(chance.between(AGAIN_MS / 2, AGAIN_MS * 2))
    }
  }
  const loop = async () => {
    while (!isGivingUp && (!isStopping || put_off.length > 0)) {
      const due = put_off.findIndex(({ at }) => at <= Date.now())
      const [again] = due < 0 ? [] : put_off.splice(due, 1)
      if (again) await write(again.deed, again.tries)
      else if (!isStopping) await write(next(), 0)
      await pause(chance.between(0, 2 * pause_ms))
    }
  }
  const loops = Promise.all(Array.from({ length: concurrency }, loop))
  return {
    /** How often there was no answer, or one of 5xx, by status. */
    failures,
    /** Resolves when all that was begun is answered. */
    finish(): Promise<unknown> {
      isStopping = true
      return loops
    },
    giveUp: () => void (isGivingUp = true),
  }
}

async function ask(url: string, { by, key, path, body }: Deed): Promise<{ status: number; id: number | undefined } | undefined> {
  try {
    const response = await fetch(`${url}/api/v2${path}`, {
      method: 'POST',
      headers: {
        ...{ 'user-agent': 'fixpoint-kill-test', 'content-type': 'application/json' },
        ...{ authorization: `Bearer ${by.token}`, 'idempotency-key': key },
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    })
    const answer = (await response.json()) as { id?: number }
    return { status: response.status, id: answer.id }
  } catch {
    // Cut off: whether it was done nobody knows, so the same is asked again.
    return undefined
  }
}
