import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { openBackend } from '../../src/queue/backends.ts'
import { startFileHeartbeat } from '../../jobs/file-heartbeat.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { openTestRedis } from '../helpers/servers/redis.ts'
import { testRedisUrl } from '../helpers/servers.ts'

const SOON = { timeout: 60_000, interval: 20 }
const OFTEN_MS = 20
const SEVERAL_BEATS_MS = 300

function startHeartbeat(ping: () => Promise<unknown>) {
  const file = join(createTemporaryFolder(), 'beat')
  const stop = startFileHeartbeat(ping, file, OFTEN_MS)
  onTestFinished(stop)
  const beats = () =>
    vi.waitFor(async () => {
      rmSync(file, { force: true })
      await pause(SEVERAL_BEATS_MS)
      expect(existsSync(file)).toBe(true)
    }, SOON)
  const isStill = async () => {
    rmSync(file, { force: true })
    await pause(SEVERAL_BEATS_MS)
    return !existsSync(file)
  }
  return { file, stop, beats, isStill }
}

describe('startFileHeartbeat', () => {
  it('writes the file while the queue replies, and deletes it at the end', async () => {
    const { file, stop, beats } = startHeartbeat(() => Promise.resolve())
    await beats()

    stop()

    await pause(SEVERAL_BEATS_MS)
    expect(existsSync(file)).toBe(false)
  })

  it.each([
    ['rejects the ping', () => Promise.reject(new Error('down'))],
    ['does not reply', () => new Promise(() => undefined)],
  ])('does not write the file if the queue %s', async (_, ping) => {
    expect(await startHeartbeat(ping).isStill()).toBe(true)
  })

  it.runIf(testRedisUrl !== undefined)('pauses while Redis is down, and continues when it is up again', async () => {
    const redis = await startRedisProxy()
    const backend = await openBackend({ redisUrl: redis.url }, 'worker', () => undefined)
    onTestFinished(() => backend.close())
    const { beats, isStill } = startHeartbeat(backend.ping)
    await beats()

    redis.cut()
    await vi.waitFor(async () => expect(await isStill()).toBe(true), SOON)

    redis.repair()
    await beats()
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
