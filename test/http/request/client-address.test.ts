import { describe, expect, it } from 'vitest'

import { clientKey } from '../../../src/http/request/client-address.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn } from '../app-on.ts'

describe('clientKey', () => {
  it.each([
    ['an IPv4 address', '203.0.113.7', '203.0.113.7'],
    ['an IPv4 address written as IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
    ['the first half of an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['the same half, however it is written', '2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['the loopback address', '::1', '0:0:0:0::/64'],
    ['an address with a zone', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['an IPv4 address that was forwarded with a port', '203.0.113.7:5678', '203.0.113.7'],
    ['an IPv6 address in brackets', '[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['an IPv6 address in brackets with a port', '[2001:db8:1:2::1]:99', '2001:db8:1:2::/64'],
  ])('reads %s', (_, ip, client) => {
    expect(clientKey({ ip })).toBe(client)
  })

  it.each(['unknown', '', '_hidden', '1.2.3', '1.2.3.4:', '1.2.3.4:port', '[::1', '[::1]:123456', 'x'.repeat(5_000)])(
    'returns the key of the proxy for an invalid forwarded address: %s',
    (ip) => {
      expect(clientKey({ ip, ips: ['127.0.0.1', '192.0.2.10:443', ip] })).toBe('192.0.2.10')
      expect(clientKey({ ip, ips: ['127.0.0.1', ip] })).toBe('127.0.0.1')
    },
  )
})

describe('the client address', () => {
  const app = useApp({ keepRows: true })

  const areTwoClients = async (env: Record<string, string>, one: string, other: string) => {
    const { anonymous } = await appOn(app.db, { RATE_LIMIT: '1', ...env })
    await app.db.prisma.$executeRaw`TRUNCATE rate_limits`
    const statuses = [one, other].map(async (address) => (await anonymous.get('/profile', { 'x-forwarded-for': address })).status)
    return (await Promise.all(statuses)).sort().join() === '200,200'
  }

  it('ignores X-Forwarded-For unless a proxy is trusted', async () => {
    expect(await areTwoClients({}, '203.0.113.7', '203.0.113.8')).toBe(false)
    expect(await areTwoClients({ TRUST_PROXY: '0' }, '203.0.113.7', '203.0.113.8')).toBe(false)
  })

  it('trusts the given number of hops and ignores earlier entries', async () => {
    expect(await areTwoClients({ TRUST_PROXY: '1' }, '203.0.113.7', '203.0.113.8')).toBe(true)
    expect(await areTwoClients({ TRUST_PROXY: '1' }, '1.1.1.1, 203.0.113.7', '2.2.2.2, 203.0.113.7')).toBe(false)
    expect(await areTwoClients({ TRUST_PROXY: '2' }, '1.1.1.1, 203.0.113.7, 10.0.0.1', '2.2.2.2, 203.0.113.8, 10.0.0.1')).toBe(true)
    expect(await areTwoClients({ TRUST_PROXY: '2' }, '1.1.1.1, 203.0.113.7, 10.0.0.1', '2.2.2.2, 203.0.113.7, 10.0.0.2')).toBe(
      false,
    )
  })

  it('is the first address that is no trusted proxy', async () => {
    const trusted = { TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8' }

    expect(await areTwoClients(trusted, '203.0.113.7, 10.9.9.9', '203.0.113.8, 10.1.1.1')).toBe(true)
    expect(await areTwoClients(trusted, '1.1.1.1, 203.0.113.7, 10.9.9.9', '2.2.2.2, 203.0.113.7')).toBe(false)
    expect(await areTwoClients({ TRUST_PROXY: '10.0.0.0/8' }, '203.0.113.7', '203.0.113.8')).toBe(false)
  })

  it('is read from entries with ports', async () => {
    const trusted = { TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8, 2001:db8:ffff::1' }

    expect(await areTwoClients({ TRUST_PROXY: '1' }, '203.0.113.7:1000', '203.0.113.7:2000')).toBe(false)
    expect(await areTwoClients({ TRUST_PROXY: '1' }, '[2001:db8:1:2::1]:1000', '2001:db8:1:2::9')).toBe(false)
    expect(await areTwoClients(trusted, '203.0.113.7:1, 10.9.9.9:443', '203.0.113.8:1, [2001:db8:ffff::1]:443')).toBe(true)
  })

  it('is the proxy for unreadable entries, so that forged names count as one client', async () => {
    expect(await areTwoClients({ TRUST_PROXY: '1' }, 'unknown-1', 'unknown-2')).toBe(false)
  })

  it('shares the limit of its /64 network', async () => {
    expect(await areTwoClients({ TRUST_PROXY: '1' }, '2001:db8:1:2::1', '2001:db8:1:2:ffff::9')).toBe(false)
    expect(await areTwoClients({ TRUST_PROXY: '1' }, '2001:db8:1:2::1', '2001:db8:1:3::1')).toBe(true)
  })
  it('shares ten times the limit with its /48 network', async () => {
    const { anonymous } = await appOn(app.db, { RATE_LIMIT: '2', TRUST_PROXY: '1' })
    const ask = async (network: string, n: number) =>
      (await anonymous.get('/profile', { 'x-forwarded-for': `${network}:${n.toString(16)}::1` })).status
    const statuses: number[] = []
    for (let n = 0; n < 25; n++) statuses.push(await ask('2001:db8:7', n))

    expect(statuses).toEqual([...Array<number>(20).fill(200), ...Array<number>(5).fill(429)])
    expect(await ask('2001:db8:8', 1)).toBe(200)
  })
})
