import { UnrecoverableError } from 'bullmq'
import { describe, expect, test } from 'vitest'

import { describeError, redactError } from '../../jobs/handlers/redact-error.ts'

describe('what is kept of an error', () => {
  test.each([
    ['an address', new Error('550 <ada.park@city.example> does not exist'), 'Error: 550 <…@…> does not exist'],
    [
      'a value',
      new Error('invalid input syntax for type integer: "my secret"'),
      'Error: invalid input syntax for type integer: "…"',
    ],
    ['a token of a link', new Error('GET https://a.example/reset?token=abc failed'), 'Error: GET https://a.example/reset?… failed'],
    ['a statement in further lines', new Error('broken\nINSERT INTO users VALUES (private)'), 'Error: broken'],
    ['the name of a column alone', new TypeError('column "colour" does not exist'), 'TypeError: column "colour" does not exist'],
    ['a code', Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' }), 'Error ECONNREFUSED: connect refused'],
    ['what is no error', 'private words', 'Error: a value that is not an Error was thrown'],
  ])('tells its class and message without %s', (_, error, told) => {
    expect(describeError(error)).toBe(told)
  })

  test('is short', () => {
    expect(describeError(new Error('x'.repeat(5_000))).length).toBeLessThan(400)
  })

  test('forbids further attempts where the error did, and has the error itself for the log alone', () => {
    const error = new UnrecoverableError('no "private words"')

    const told = redactError(error)

    expect(told).toBeInstanceOf(UnrecoverableError)
    expect([told.name, told.message, told.cause]).toEqual(['UnrecoverableError', 'no "…"', error])
    expect(told.stack).toContain('redact-error.test.ts')
    expect(told.stack).not.toContain('private')
  })
})
