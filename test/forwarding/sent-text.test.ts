import { describe, expect, it } from 'vitest'

import { isSentText } from '../../src/forwarding/form-variants.ts'

describe('the text of an update that an endpoint lists', () => {
  it.each([
    ['It grows.', true],
    [' It  grows.\n', true],
    ['It grows. https://fixpoint.test/files/a.jpg', true],
    ['It grows. See https://example.org/.', false],
    ['It grows fast.', false],
  ])('is that of the comment "It grows.": %j', (description, expected) => {
    expect(isSentText(description, 'It grows.')).toBe(expected)
  })

  it('is compared in no time, even if it is long', () => {
    const began = process.cpuUsage()

    expect(isSentText(`It grows. https://x${'/files/'.repeat(100_000)} z`, 'It grows.')).toBe(false)
    // A comparison that takes quadratic time would take minutes.
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(1_000)
  })
})
