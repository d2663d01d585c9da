import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { openWorkerPort } from '../../jobs/worker-port.ts'
import { openBackend } from '../../src/queue/backends.ts'
import { openTestRedis } from '../helpers/servers/redis.ts'
import { testRedisUrl } from '../helpers/servers.ts'
import { useApp } from '../helpers/use-app.ts'
import { freePort } from '../kill/servers.ts'

const SOON = { timeout: 60_000, interval: 20 }
const app = useApp()

async function readHealth(ping: () => Promise<unknown>) {
  const workerPort = await freePort()
  const close = await openWorkerPort({ ...app.services.config, workerPort, host: '127.0.0.1' }, app.db, ping)
  onTestFinished(() => close().then(() => undefined))
  return async () => (await fetch(`http://127.0.0.1:${workerPort}/health`)).status
}

describe('/health of a worker', () => {
  it.each([
    ['rejects the ping', () => Promise.reject(new Error('down'))],
    ['does not reply', () => new Promise(() => undefined)],
  ])('is 503 if the queue %s', async (_, ping) => {
    expect(await (await readHealth(ping))()).toBe(503)
  })

  it.runIf(testRedisUrl !== undefined)('is 503 while Redis is down, and 200 when it is up again', async () => {
    const redis = await startRedisProxy()
    const backend = await openBackend({ redisUrl: redis.url }, 'worker', () => undefined)
    onTestFinished(() => backend.close())
    const health = await readHealth(backend.ping)
    await vi.waitFor(async () => expect(await health()).toBe(200), SOON)

    redis.cut()
    await vi.waitFor(async () => expect(await health()).toBe(503), SOON)

    redis.repair()
    await vi.waitFor(async () => expect(await health()).toBe(200), SOON)
  })
})

/** Starts a proxy to Redis. While it is cut, it accepts connections and never replies, like a lost network. */
async function startRedisProxy() {
  const target = new URL((await openTestRedis()) ?? '')
  const sockets = new Set<Socket>()
  let isCut = false
  const proxy = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    if (isCut) return
    const upstream = connect(Number(target.port), target.hostname).on('error', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const closeSockets = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  onTestFinished(() => {
    closeSockets()
    proxy.close()
  })
  const address = new URL(target)
  address.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return {
    url: address.href,
    cut: () => {
      isCut = true
      closeSockets()
    },
    repair: () => {
      isCut = false
      closeSockets()
    },
  }
}
