import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'

import { Explained } from '../src/explained.ts'
import { isLoopback, listenRefused, tryToListen } from '../src/listening.ts'

describe('an address that cannot be listened on', () => {
  test.each([
    ['EADDRINUSE', '127.0.0.1:80 is in use by another program: stop that, or give another PORT.'],
    ['EACCES', 'This user may not listen on port 80: give a PORT from 1024.'],
    ['EADDRNOTAVAIL', '127.0.0.1 is no address of this machine: give HOST an address'],
    ['ENOTFOUND', 'The name 127.0.0.1 is not known: give HOST an address'],
    ['EAI_AGAIN', 'The name 127.0.0.1 cannot be looked up: give HOST an address'],
    ['EAFNOSUPPORT', 'This machine has no network of the kind of 127.0.0.1: give HOST an address'],
    ['EINVAL', 'Nothing can listen on 127.0.0.1: give HOST an address'],
  ])('is told by the variable to look at: %s', (code, sentence) => {
    const refused = listenRefused(Object.assign(new Error(code), { code }), { host: '127.0.0.1', port: 80 })

    expect(refused).toBeInstanceOf(Explained)
    expect((refused as Explained).message.startsWith(sentence)).toBe(true)
  })

  test('is found out before anything else is done, and one that can be is free again', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo

    await expect(tryToListen({ host: '127.0.0.1', port })).rejects.toThrow('give another PORT')
    await expect(tryToListen({ host: 'nowhere.invalid', port: 0 })).rejects.toThrow('give HOST an address')
    await new Promise((closed) => other.close(closed))
    await tryToListen({ host: '127.0.0.1', port })

    const next = createServer().listen(port, '127.0.0.1')
    onTestFinished(() => void next.close())
    await once(next, 'listening')
  })
})

test.each([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['localhost', true],
  ['city.localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.7', false],
  ['fix.example.org', false],
  ['localhost.example.org', false],
])('%s is reached from this machine only: %s', (host, only) => {
  expect(isLoopback(host)).toBe(only)
})
