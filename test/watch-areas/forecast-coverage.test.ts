import { describe, expect, it } from 'vitest'

import { forecast } from '../../src/watch-areas/forecast.ts'
import { createRandom, createDays, eventModels } from './synthetic-days.ts'
import { coveredShare } from './coverage.ts'

describe('the forecast for areas with events', () => {
  it.each(Object.keys(eventModels))('%s covers 75 to 85 % of the weeks', (kind) => {
    const chance = createRandom(30)
    const outcomes = Array.from({ length: 4_000 }, () => {
      const { before, after } = createDays(kind, chance)
      const { low, high } = forecast(before, 'instant')
      const mails = after.reduce((sum, events) => sum + events, 0)
      return { isCovered: mails >= low && mails <= high, usual: before.reduce((sum, events) => sum + events, 0) }
    })

    expect(coveredShare(outcomes)).toBeGreaterThanOrEqual(0.75)
    expect(coveredShare(outcomes)).toBeLessThanOrEqual(0.85)
  })
})
