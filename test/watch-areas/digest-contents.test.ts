import { describe, expect, it } from 'vitest'

import { DAYS, digestContents } from '../../src/watch-areas/forecast.ts'

const everyDay = Array.from({ length: DAYS }, (_, day) => day % 10)

describe('the contents of digests', () => {
  it('are the range of four of five days or weeks, so that a single busy day does not count', () => {
    const quiet = everyDay.map(() => 0).with(5, 100)

    expect(digestContents(everyDay, 'daily')).toEqual({ low: 1, high: 8 })
    expect(digestContents(quiet, 'daily')).toEqual({ low: 0, high: 0 })
    expect(
      digestContents(
        everyDay.map(() => 2),
        'weekly',
      ),
    ).toEqual({ low: 14, high: 14 })
  })

  it.each(['instant', 'never'] as const)('are unknown without digests: %s', (frequency) => {
    expect(digestContents(everyDay, frequency)).toBeUndefined()
  })
})
