import { expect, it, onTestFinished, vi } from 'vitest'

import { createLimitedRequest } from '../../src/geo/geocoder.ts'

it('requests start at regular distances, and those that would wait for more than half of their timeout are not sent', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => now.mockRestore())
  const wait = vi.fn<(ms: number) => Promise<void>>().mockResolvedValue()
  const request = createLimitedRequest(10, () => Promise.resolve('an answer'), wait)

  const answers = await Promise.all(Array.from({ length: 5 }, () => request('http://geocoder.test', 500)))

  expect(answers).toEqual(['an answer', 'an answer', 'an answer', undefined, undefined])
  expect(wait.mock.calls).toEqual([[100], [200]])
})
