import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { coalesceCalls } from '../../../src/http/caching/coalesce-calls.ts'

describe('coalesceCalls', () => {
  it('calls once for all concurrent callers, after their arrival', async () => {
    const pendingCalls: (() => void)[] = []
    const ask = coalesceCalls(async () => {
      const number = pendingCalls.length + 1
      await new Promise<void>((resolve) => pendingCalls.push(resolve))
      if (number === 2) throw new Error('away')
      return number
    })
    const turn = () => pause(0)

    const first = ask()
    const second = Promise.allSettled([ask(), ask()])
    const before = pendingCalls.length
    pendingCalls[0]?.()
    await turn()
    const third = ask()
    pendingCalls[1]?.()
    await turn()
    pendingCalls[2]?.()

    expect([before, await first, await third, pendingCalls.length]).toEqual([1, 1, 3, 3])
    expect((await second).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
