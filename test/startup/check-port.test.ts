import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, it } from 'vitest'

import { UserFacingError } from '../../src/environment/user-facing-error.ts'
import { explainListenError, holdPort } from '../../src/startup/check-port.ts'
import { isExposed } from '../../src/environment/exposure.ts'

describe('holdPort', () => {
  it.each([
    ['EADDRINUSE', '127.0.0.1:80 is in use by another program: stop that program, or set another PORT.'],
    ['EACCES', 'This user may not listen on port 80: set PORT to 1024 or higher.'],
    ['EADDRNOTAVAIL', '127.0.0.1 is not an address of this machine: set HOST to an address'],
    ['ENOTFOUND', 'The host name 127.0.0.1 is unknown: set HOST to an address'],
    ['EAI_AGAIN', 'The host name 127.0.0.1 cannot be resolved: set HOST to an address'],
    ['EAFNOSUPPORT', 'This machine does not support the address family of 127.0.0.1: set HOST to an address'],
    ['EINVAL', '127.0.0.1 is not an address for listening: set HOST to an address'],
  ])('names the environment variable to check: %s', (code, sentence) => {
    const refused = explainListenError(Object.assign(new Error(code), { code }), { host: '127.0.0.1', port: 80 })

    expect(refused).toBeInstanceOf(UserFacingError)
    expect((refused as UserFacingError).message.startsWith(sentence)).toBe(true)
  })

  it('refuses a port in use, and keeps a free one from others until it is freed', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo

    await expect(holdPort({ host: '127.0.0.1', port })).rejects.toThrow('set another PORT')
    await expect(holdPort({ host: 'nowhere.invalid', port: 0 })).rejects.toThrow('set HOST to an address')
    await new Promise((closed) => other.close(closed))
    const freePort = await holdPort({ host: '127.0.0.1', port })
    await expect(holdPort({ host: '127.0.0.1', port })).rejects.toThrow('set another PORT')
    await freePort()

    const next = createServer().listen(port, '127.0.0.1')
    onTestFinished(() => void next.close())
    await once(next, 'listening')
  })
})

describe('isExposed', () => {
  it.each(['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1', 'localhost', 'city.localhost'])('returns false for %s', (host) => {
    expect(isExposed({ host, publicUrl: undefined })).toBe(false)
    expect(isExposed({ host: '127.0.0.1', publicUrl: `http://${host.includes(':') ? `[${host}]` : host}:3000` })).toBe(false)
  })

  it.each(['0.0.0.0', '10.0.0.7', '2001:db8::7', 'fix.example.org', 'localhost.example.org'])('returns true for %s', (host) => {
    expect(isExposed({ host, publicUrl: undefined })).toBe(true)
    expect(isExposed({ host: '127.0.0.1', publicUrl: `https://${host.includes(':') ? `[${host}]` : host}` })).toBe(true)
  })
})
