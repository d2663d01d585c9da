import { describe, expect, it } from 'vitest'

import { limitConcurrency } from '../../../src/http/request/request-limit.ts'
import { stopTimers } from '../../helpers/stopped-timers.ts'
import { gate } from '../gate.ts'

const WAIT_MAX_MS = 200
const limits = { concurrency: 1, queueMax: 2, waitMaxMs: WAIT_MAX_MS }

describe('limitConcurrency', () => {
  const pass = stopTimers()

  it('refuses waiting work when its time is over, while the place is still occupied', async () => {
    const limit = limitConcurrency(limits)
    const { opened, open } = gate()
    const first = limit(() => opened)

    const waiting = limit(() => Promise.resolve('never'))
    pass(WAIT_MAX_MS)

    await expect(waiting).rejects.toMatchObject({ status: 503 })
    open()
    await first
  })

  it('refuses more work than the queue holds at once, and has room again after a refusal', async () => {
    const limit = limitConcurrency(limits)
    const { opened, open } = gate()
    const first = limit(() => opened)
    const ended: string[] = []
    const waiting = [1, 2].map((n) => limit(() => Promise.resolve(n)).finally(() => ended.push('waited')))

    await expect(limit(() => Promise.resolve(3)).finally(() => ended.push('refused'))).rejects.toMatchObject({ status: 503 })
    pass(WAIT_MAX_MS)
    const outcomes = await Promise.allSettled(waiting)
    const later = limit(() => Promise.resolve('later'))
    open()

    expect(ended).toEqual(['refused', 'waited', 'waited'])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await later).toBe('later')
    await first
  })

  it('runs waiting work in the order of its arrival, after errors too, and refuses none that runs', async () => {
    const limit = limitConcurrency({ ...limits, queueMax: 3 })
    const order: number[] = []
    const run = (n: number, ms: number) =>
      limit(async () => {
        order.push(n)
        pass(ms)
        if (n === 1) throw new Error('broken')
        return n
      })

    const outcomes = await Promise.allSettled([run(1, 5), run(2, 5), run(3, 2 * WAIT_MAX_MS)])

    expect(order).toEqual([1, 2, 3])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  })
})
