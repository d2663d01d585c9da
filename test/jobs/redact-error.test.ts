import { UnrecoverableError } from 'bullmq'
import { describe, expect, it } from 'vitest'

import { describeError, redactError } from '../../jobs/handlers/redact-error.ts'

describe('describeError', () => {
  it.each([
    ['without an address', new Error('550 <ada.park@city.example> does not exist'), 'Error: 550 <…@…> does not exist'],
    [
      'without a value',
      new Error('invalid input syntax for type integer: "my secret"'),
      'Error: invalid input syntax for type integer: "…"',
    ],
    [
      'without the token of a link',
      new Error('GET https://a.example/reset?token=abc failed'),
      'Error: GET https://a.example/reset?… failed',
    ],
    ['without the statement in further lines', new Error('broken\nINSERT INTO users VALUES (private)'), 'Error: broken'],
    ['with the name of a column', new TypeError('column "colour" does not exist'), 'TypeError: column "colour" does not exist'],
    ['with the code', Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' }), 'Error ECONNREFUSED: connect refused'],
    ['without a value that is not an Error', 'private words', 'Error: a value that is not an Error was thrown'],
  ])('returns the class and the message: %s', (_, error, text) => {
    expect(describeError(error)).toBe(text)
  })

  it('returns fewer than 400 characters', () => {
    expect(describeError(new Error('x'.repeat(5_000))).length).toBeLessThan(400)
  })
})

describe('redactError', () => {
  it('has no cause with the same message, which a log would repeat', () => {
    const [plain, nested] = [new Error('it responded 302'), new Error('it failed', { cause: 'the reason' })]

    expect([redactError(plain).cause, redactError(nested).cause]).toEqual([undefined, 'the reason'])
  })

  it('returns an unrecoverable error if the original is one, with the original as its cause', () => {
    const error = new UnrecoverableError('no "private words"')

    const redacted = redactError(error)

    expect(redacted).toBeInstanceOf(UnrecoverableError)
    expect([redacted.name, redacted.message, redacted.cause]).toEqual(['UnrecoverableError', 'no "…"', error])
    expect(redacted.stack).toContain('redact-error.test.ts')
    expect(redacted.stack).not.toContain('private')
  })
})
