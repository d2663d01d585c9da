import { describe, expect, it } from 'vitest'

import {
  createAddressRule,
  createEndpointClient,
  type EndpointClientOptions,
  EndpointError,
} from '../../src/georeport/endpoint-client.ts'
import { createGeoReportClient } from '../../src/georeport/geo-report.ts'
import { startFakeEndpoint } from './fake-endpoint.ts'
import { respond } from './open-fake-endpoint.ts'

const never = new AbortController().signal
const LOOPBACK = ['127.0.0.0/8']

describe('an address', () => {
  it.each([
    ['of this machine', '127.0.0.1', '127.255.0.9', '::1', '0.0.0.0', '::'],
    ['of a private network', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1', 'fec0::1'],
    ['of one link', '169.254.169.254', 'fe80::1'],
    ['behind a carrier-grade NAT', '100.64.0.1', '100.127.255.254'],
    ['of a group', '224.0.0.1', '239.255.255.255', 'ff02::1', '255.255.255.255'],
    ['in an IPv4-mapped form', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1'],
    ['in a NAT64 form', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::a00:1'],
    ['in another form that contains IPv4', '::127.0.0.1', '2002:7f00:1::', '2001:0:1234::1', '::ffff:0:127.0.0.1'],
    ['for documentation or tests', '192.0.2.1', '198.18.0.1', '203.0.113.1', '240.0.0.1', '2001:db8::1'],
  ])('%s is refused', (_, ...addresses) => {
    const rule = createAddressRule([])

    expect(addresses.map(rule)).toEqual(addresses.map(() => 'refused'))
  })

  it('of the internet is public', () => {
    expect(['1.1.1.1', '93.184.216.34', '2606:4700::1111', '::ffff:1.1.1.1'].map(createAddressRule([]))).toEqual(
      Array(4).fill('public'),
    )
  })

  it('in one of the allowed networks is allowed, also in its IPv4-mapped form', () => {
    const rule = createAddressRule(['10.1.0.0/16', 'fd00:1::/32'])

    expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5'].map(rule)).toEqual(['allowed', 'allowed', 'allowed'])
    expect(['10.2.0.1', 'fd00:2::1'].map(rule)).toEqual(['refused', 'refused'])
  })
})

describe('a client of endpoints', () => {
  const get = (url: string, options: Partial<EndpointClientOptions> = {}) =>
    createEndpointClient({ allow: LOOPBACK, timeoutMs: 5_000, ...options }).send({ method: 'GET', url }, never)
  const failure = async (sent: Promise<unknown>) => {
    const error = await sent.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof EndpointError)) throw new Error('no EndpointError was thrown', { cause: error })
    return [error.message, error.mayBeDone]
  }

  it('connects to an allowed network', async () => {
    const endpoint = await startFakeEndpoint()

    expect(await get(`${endpoint.url}/requests.json`)).toEqual({ status: 200, text: '[]' })
    expect(endpoint.received[0]?.headers).toMatchObject({
      'user-agent': 'Fixpoint',
      connection: 'close',
      'accept-encoding': 'identity',
    })
  })

  it.each([
    'http://127.0.0.1:1',
    'http://[::1]:1',
    'http://2130706433:1',
    'http://0x7f.1:1',
    'https://[::ffff:127.0.0.1]',
    'http://localhost:1',
  ])('does not connect to %s, which is not allowed', async (url) => {
    expect(await failure(get(url, { allow: ['10.0.0.0/8'] }))).toEqual([
      'the host of the endpoint has a private address that is not in FORWARD_ALLOW',
      false,
    ])
  })

  it('refuses a host with any address that is not allowed', async () => {
    const resolve = () => Promise.resolve(['1.1.1.1', '10.0.0.1'])

    expect(await failure(get('https://city.example', { resolve }))).toEqual([expect.stringContaining('private address'), false])
  })

  it('requires https for a public address', async () => {
    const resolve = () => Promise.resolve(['1.1.1.1'])

    expect(await failure(get('http://city.example', { resolve }))).toEqual([expect.stringContaining('must use https'), false])
  })

  it('resolves a name once and connects to the checked address, so that a changed name leads nowhere else', async () => {
    const endpoint = await startFakeEndpoint()
    const addresses = [['127.0.0.1'], ['127.9.9.9']]
    let lookups = 0
    const resolve = () => Promise.resolve(addresses[lookups++] ?? [])

    const response = await get(`${endpoint.url.replace('127.0.0.1', 'city.example')}/requests.json`, { resolve })

    expect(response.status).toBe(200)
    expect(lookups).toBe(1)
    expect(endpoint.received[0]?.headers.host).toMatch(/^city\.example:/)
  })

  it('does not follow redirects', async () => {
    const endpoint = await startFakeEndpoint()
    endpoint.fail('GET', '/requests', respond(302, '', { location: `${endpoint.url}/services.json` }))

    expect((await get(`${endpoint.url}/requests.json`)).status).toBe(302)
    expect(endpoint.received.length).toBe(1)
  })

  it('ends a request that takes too long, also while the response arrives', async () => {
    const endpoint = await startFakeEndpoint()
    endpoint.fail('GET', '/requests', 'hang')
    endpoint.fail('GET', '/requests', (response) => void response.writeHead(200).write('['))
    endpoint.fail('GET', '/requests', ({ socket }) => {
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    })

    const failures = [
      await failure(get(`${endpoint.url}/requests.json`, { timeoutMs: 200 })),
      await failure(get(`${endpoint.url}/requests.json`, { timeoutMs: 200 })),
      await failure(get(`${endpoint.url}/requests.json`, { timeoutMs: 200 })),
      await failure(get('http://city.example', { timeoutMs: 200, resolve: () => new Promise(() => undefined) })),
    ]

    const late = 'the endpoint did not respond in time'
    expect(failures).toEqual([
      [late, true],
      [late, true],
      [late, true],
      [late, false],
    ])
  })

  it('does not read a response that is too large or compressed', async () => {
    const endpoint = await startFakeEndpoint()
    endpoint.fail('GET', '/requests', respond(200, 'x'.repeat(2_000)))
    endpoint.fail('GET', '/requests', respond(200, 'x', { 'content-encoding': 'gzip' }))

    expect(await failure(get(`${endpoint.url}/requests.json`, { bytesMax: 1_000 }))).toEqual([
      'the response of the endpoint is larger than 1000 bytes',
      true,
    ])
    expect(await failure(get(`${endpoint.url}/requests.json`))).toEqual([expect.stringContaining('compresses'), true])
  })

  it('knows whether the endpoint can have received the request', async () => {
    const endpoint = await startFakeEndpoint()
    endpoint.fail('GET', '/requests', 'reset')
    const connected = await failure(get(`${endpoint.url}/requests.json`))
    await endpoint.stop()
    const refused = await failure(get(`${endpoint.url}/requests.json`))

    expect(connected).toEqual(['the endpoint cannot be reached: ECONNRESET', true])
    expect(refused).toEqual(['the endpoint cannot be reached: ECONNREFUSED', false])
  })
})

describe('the errors of an endpoint', () => {
  it('are reported with their description, but without the key', async () => {
    const endpoint = await startFakeEndpoint()
    endpoint.fail('POST', '/requests', respond(403, JSON.stringify([{ code: '403', description: 'The api_key k-e-y is wrong.' }])))
    const client = createGeoReportClient(
      createEndpointClient({ allow: LOOPBACK }),
      { url: endpoint.url, format: 'json', jurisdiction_id: 'city.example', api_key: 'k-e-y' },
      never,
    )

    const error = await client.post('requests', new URLSearchParams({ service_code: '1' })).catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({
      name: 'EndpointRefusal',
      status: 403,
      message: 'the endpoint responded 403: The api_key … is wrong.',
    })
    expect(endpoint.received[0]?.form).toEqual({ service_code: '1', jurisdiction_id: 'city.example', api_key: 'k-e-y' })
  })
})
