import { describe, expect, it } from 'vitest'

import { createDecodingTime } from '../../src/images/decoding-time.ts'

describe('decodeInTurn', () => {
  it('decodes one picture of a client at a time, so that clients take turns', async () => {
    const { decodeInTurn } = createDecodingTime()
    const events: string[] = []
    const first = Promise.withResolvers<undefined>()

    const pictures = [
      decodeInTurn('192.0.2.1', () => first.promise),
      decodeInTurn('192.0.2.1', async () => events.push('second picture of the client')),
    ]
    await decodeInTurn('192.0.2.2', async () => events.push('other client'))
    first.resolve(undefined)
    await Promise.all(pictures)

    expect(events).toEqual(['other client', 'second picture of the client'])
  })

  it('refuses a client that has used up its decoding time with 429', async () => {
    const { decodeInTurn, count } = createDecodingTime()
    const decode = (client: string) => decodeInTurn(client, (timed) => timed(async () => 'decoded'))
    await count('192.0.2.3', 120_000)

    await expect(decode('192.0.2.3')).rejects.toMatchObject({ status: 429 })
    await expect(decode('192.0.2.4')).resolves.toBe('decoded')
  })

  it('refuses every client with 503 once all together have used up the time of one processor', async () => {
    const { decodeInTurn, count } = createDecodingTime()
    await Promise.all([1, 2, 3, 4, 5, 6].map((n) => count(`192.0.2.${n}`, 100_000)))

    const refused = decodeInTurn('192.0.2.7', async () => 'decoded')

    await expect(refused).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '600' } })
  })
})
