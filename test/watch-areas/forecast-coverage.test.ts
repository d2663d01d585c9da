import { describe, expect, it } from 'vitest'

import { forecast } from '../../src/watch-areas/forecast.ts'
import { chanceOf, daysOf, worlds } from './made-up-days.ts'
import { shareThatHeld } from './outcomes.ts'

describe('the forecast for areas with events', () => {
  it.each(Object.keys(worlds))('%s covers 75 to 85 % of the weeks', (kind) => {
    const chance = chanceOf(30)
    const outcomes = Array.from({ length: 4_000 }, () => {
      const { before, after } = daysOf(kind, chance)
      const { low, high } = forecast(before, 'instant')
      const mails = after.reduce((sum, events) => sum + events, 0)
      return { held: mails >= low && mails <= high, usual: before.reduce((sum, events) => sum + events, 0) }
    })

    expect(shareThatHeld(outcomes)).toBeGreaterThanOrEqual(0.75)
    expect(shareThatHeld(outcomes)).toBeLessThanOrEqual(0.85)
  })
})
