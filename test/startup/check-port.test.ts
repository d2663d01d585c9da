import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'

import { UserFacingError } from '../../src/errors/user-facing-error.ts'
import { listenRefused, tryToListen } from '../../src/startup/check-port.ts'
import { isExposed } from '../../src/environment/exposure.ts'

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

    expect(refused).toBeInstanceOf(UserFacingError)
    expect((refused as UserFacingError).message.startsWith(sentence)).toBe(true)
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

describe('a service is for this machine only', () => {
  test.each(['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1', 'localhost', 'city.localhost'])('on %s', (host) => {
    expect(isExposed({ host, publicUrl: undefined })).toBe(false)
    expect(isExposed({ host: '127.0.0.1', publicUrl: `http://${host.includes(':') ? `[${host}]` : host}:3000` })).toBe(false)
  })

  test.each(['0.0.0.0', '10.0.0.7', '2001:db8::7', 'fix.example.org', 'localhost.example.org'])('not on %s', (host) => {
    expect(isExposed({ host, publicUrl: undefined })).toBe(true)
    expect(isExposed({ host: '127.0.0.1', publicUrl: `https://${host.includes(':') ? `[${host}]` : host}` })).toBe(true)
  })
})
