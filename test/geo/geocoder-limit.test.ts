import { expect, it } from 'vitest'

import { createLimitedRequest } from '../../src/geo/geocoder.ts'

it('requests start at regular distances, and those that would wait for more than half of their timeout are not sent', async () => {
  const sent: number[] = []
  const request = createLimitedRequest(10, () => {
    sent.push(performance.now())
    return Promise.resolve('an answer')
  })

  const answers = await Promise.all(Array.from({ length: 5 }, () => request('http://geocoder.test', 500)))

  expect(answers).toEqual(['an answer', 'an answer', 'an answer', undefined, undefined])
  const [first = 0, second = 0, third = 0] = sent
  // Timers may be a millisecond early.
  expect([second - first, third - second].every((distance) => distance > 80)).toBe(true)
})
