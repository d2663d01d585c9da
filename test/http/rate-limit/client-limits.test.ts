import { Agent, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import type { Query } from '../../../src/database/database.ts'
import { stopTimers } from '../../helpers/stopped-timers.ts'
import { useApp } from '../../helpers/use-app.ts'
import { type AppOn, appOn } from '../app-on.ts'

const app = useApp({ keepRows: true })

/** Duration of a query that lets eighty connections queue. */
const READ_MS = 20
/** Pause of a connection: the others keep the queue full meanwhile. */
const PAUSE_MS = 100
const OTHER = '203.0.113.3'

let place = ''
beforeAll(async () => {
  place = (await app.create.place()).url_name
  await app.create.issue()
})

interface Got {
  readonly status: number | undefined
  readonly retryAfter: string | undefined
}

async function listening({ fastify }: AppOn): Promise<number> {
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  return (fastify.server.address() as AddressInfo).port
}

function ask(port: number, path: string, from: string, agent: Agent): Promise<Got> {
  return new Promise((resolve, reject) => {
    const headers = { 'user-agent': 'tests', 'x-forwarded-for': from }
    get({ port, path, host: '127.0.0.1', agent, headers }, (response) => {
      response.resume().once('end', () => resolve({ status: response.statusCode, retryAfter: response.headers['retry-after'] }))
    }).once('error', reject)
  })
}

function flood(port: number, path: string, addressOf: (connection: number) => string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 80 })
  const got: Got[] = []
  let isOn = true
  const connections = Array.from({ length: 80 }, async (_, connection) => {
    while (isOn) {
      got.push(await ask(port, path, addressOf(connection), agent))
      // Client and service share this process: without a pause, the refused connections would block its event loop.
      await wait(PAUSE_MS)
    }
  })
  return async () => {
    isOn = false
    await Promise.all(connections)
    agent.destroy()
    return got
  }
}

async function slowApp(): Promise<AppOn> {
  const read = (async (...args: Parameters<Query>) => {
    await wait(READ_MS)
    return app.db.reader.query(...args)
  }) as Query
  return appOn({ ...app.db, reader: { query: read } }, { LOG_LEVEL: 'silent', TRUST_PROXY: '1' })
}

async function requestDuringFlood(path: string, addressOf: (connection: number) => string) {
  const port = await listening(await slowApp())
  const agent = new Agent({ keepAlive: true })
  const alone = await ask(port, path, OTHER, agent)
  const stop = flood(port, path, addressOf)
  await wait(200)

  const others: Got[] = []
  while (others.length < 10) others.push(await ask(port, path, OTHER, agent))
  const together = await Promise.all(Array.from({ length: 20 }, () => ask(port, path, OTHER, agent)))
  const flooding = await stop()
  agent.destroy()
  return { others: [...others, ...together], served: { status: alone.status, retryAfter: undefined }, flooding }
}

const eachFace = it.each([
  ['pages', () => `/places/${place}`],
  ['feeds', () => '/feeds/issues.atom'],
  ['pictures', () => `/files/pictures/aa/${'a'.repeat(40)}.jpg`],
])

describe('the limit of a /48 network', () => {
  // The client that floods the service would slow down the others on a busy machine, until they have waited for too long.
  stopTimers()

  eachFace('of one client leave others served: %s', async (_, path) => {
    const { others, served, flooding } = await requestDuringFlood(path(), () => '203.0.113.2')

    expect(others).toEqual(Array<Got>(30).fill(served))
    expect(new Set(flooding.map(({ status }) => status))).toEqual(new Set([served.status, 429]))
    expect(flooding.filter(({ status, retryAfter }) => status === 429 && retryAfter !== '1')).toEqual([])
  })

  it('leaves capacity for other clients', async () => {
    const { others, served, flooding } = await requestDuringFlood(
      `/places/${place}`,
      (connection) => `2001:db8:7:${connection.toString(16)}::1`,
    )

    expect(others).toEqual(Array<Got>(30).fill(served))
    expect(flooding.filter(({ status }) => status !== served.status && status !== 429)).toEqual([])
  })
})

describe('the limit of a client', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['pages', 60, () => `/places/${place}`],
    ['feeds', 30, () => '/feeds/issues.atom'],
    ['pictures', 300, () => `/files/pictures/aa/${'a'.repeat(40)}.jpg`],
  ])('allows %s at %i times RATE_LIMIT a minute, then 429 with Retry-After for this client', async (_, times, path) => {
    const { anonymous } = await appOn(app.db, { RATE_LIMIT: '1', TRUST_PROXY: '1' })
    const from = (address: string) => anonymous.send('GET', path(), { headers: { 'x-forwarded-for': address } })
    const statuses: number[] = []
    for (let n = 0; n < times; n++) statuses.push((await from('203.0.113.7')).status)

    const refused = await from('203.0.113.7')
    const other = await from('203.0.113.8')

    expect(new Set(statuses)).toEqual(new Set([other.status]))
    expect(other.status).toBeLessThan(405)
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('60')
    expect(refused.headers['ratelimit']).toBeUndefined()
  })
})
