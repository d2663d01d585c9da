import { describe, expect, it } from 'vitest'

import { countDecodingTime, decodeInTurn } from '../../src/images/decoding-time.ts'

describe('decodeInTurn', () => {
  it('decodes one picture of a client at a time, so that clients take turns', async () => {
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
    const decode = (client: string) => decodeInTurn(client, (timed) => timed(async () => 'decoded'))
    await countDecodingTime('192.0.2.3', 120_000)

    await expect(decode('192.0.2.3')).rejects.toMatchObject({ status: 429 })
    await expect(decode('192.0.2.4')).resolves.toBe('decoded')
  })
})
