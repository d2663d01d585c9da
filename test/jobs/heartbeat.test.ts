import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { openBackend } from '../../src/queue/backends.ts'
import { startHeartbeat } from '../../jobs/heartbeat.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { openTestRedis } from '../helpers/servers/redis.ts'
import { testRedisUrl } from '../helpers/servers.ts'

const SOON = { timeout: 10_000, interval: 20 }
const OFTEN_MS = 20
const SEVERAL_BEATS_MS = 300

/** Beats into a file of its own until the test ends; `beats` tells whether the file is written anew. */
function heartbeat(ping: () => Promise<unknown>) {
  const file = join(createTemporaryFolder(), 'beat')
  const stop = startHeartbeat(ping, file, OFTEN_MS)
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

describe('the heartbeat of a worker', () => {
  test('goes on while the queue answers, and leaves nothing when it ends', async () => {
    const { file, stop, beats } = heartbeat(() => Promise.resolve())
    await beats()

    stop()

    await pause(SEVERAL_BEATS_MS)
    expect(existsSync(file)).toBe(false)
  })

  test.each([
    ['refuses', () => Promise.reject(new Error('away'))],
    ['does not answer', () => new Promise(() => undefined)],
  ])('stands still where the queue %s', async (_, ping) => {
    expect(await heartbeat(ping).isStill()).toBe(true)
  })

  test.runIf(testRedisUrl !== undefined)('stands still while Redis is away, and goes on when it is back', async () => {
    const redis = await redisThatCanBeCut()
    const backend = await openBackend({ redisUrl: redis.url }, 'worker', () => undefined)
    onTestFinished(() => backend.close())
    const { beats, isStill } = heartbeat(backend.ping)
    await beats()

    redis.cut()
    await vi.waitFor(async () => expect(await isStill()).toBe(true), SOON)

    redis.repair()
    await beats()
  })
})

/** A way to the Redis of the tests that can be cut: it then takes connections and answers nothing, as a lost network does. */
async function redisThatCanBeCut() {
  const target = new URL((await openTestRedis()) ?? '')
  const sockets = new Set<Socket>()
  let isCut = false
  const proxy = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    if (isCut) return
    const onward = connect(Number(target.port), target.hostname).on('error', () => socket.destroy())
    socket.pipe(onward).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  onTestFinished(() => {
    hangUp()
    proxy.close()
  })
  const address = new URL(target)
  address.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return {
    url: address.href,
    cut: () => {
      isCut = true
      hangUp()
    },
    repair: () => {
      isCut = false
      hangUp()
    },
  }
}
