import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { type Database, sql } from '../../src/database/database.ts'
import { createDownloadLimits } from '../../src/gis/downloads/download-limits.ts'
import { engine } from '../helpers/database.ts'
import { startNode } from '../helpers/processes.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn, openAppOn } from '../http/app-on.ts'

const app = useApp()
const exportFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`fixpoint-export-${process.pid}-`))
/** Returns a function that lists the folders which were created since. */
function watchFolders() {
  const before = new Set(exportFolders())
  return () => exportFolders().filter((name) => !before.has(name))
}

async function until(condition: () => Promise<boolean> | boolean, seconds = 60): Promise<boolean> {
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; await wait(20)) if (await condition()) return true
  return false
}

/** Returns an app whose downloads wait for `open`. */
async function gatedApp(env: Record<string, string> = {}) {
  const gate = Promise.withResolvers<undefined>()
  let waiting = 0
  const db: Database = {
    ...app.db,
    snapshot: async (work, signal) => {
      waiting += 1
      await gate.promise
      return app.db.snapshot(work, signal)
    },
  }
  const one = await appOn(app.db, env, { db })
  return { ...one, open: () => gate.resolve(undefined), waiting: () => waiting }
}

describe('the limit of whole downloads', () => {
  it('returns 429 for the third of a client that waits for half a minute', async () => {
    const limits = createDownloadLimits(4)
    await Promise.all([limits.occupy({ ip: '203.0.113.1' }), limits.occupy({ ip: '203.0.113.1' })])
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())

    const outcome = limits.occupy({ ip: '203.0.113.1' }).catch((error: unknown) => error)
    vi.advanceTimersByTime(29_999)
    const early = await Promise.race([outcome, Promise.resolve('waits')])
    vi.advanceTimersByTime(1)

    expect(early).toBe('waits')
    expect(await outcome).toMatchObject({
      status: 429,
      headers: { 'retry-after': '30' },
      message: 'Already 2 whole downloads are running for this client: try again when one of them has ended.',
    })
  })

  it('leaves pages of feeds to a client that has two downloads', async () => {
    const { anonymous, open, waiting } = await gatedApp()
    const running = ['/feeds/issues.geojson', '/feeds/issues.geojson?status=open'].map((url) => anonymous.send('GET', url))
    await until(() => waiting() === 2)

    const pages = await Promise.all(
      ['/feeds/issues.atom', '/feeds/issues.geojson?per_page=5'].map((url) => anonymous.send('GET', url)),
    )
    open()

    expect([...pages, ...(await Promise.all(running))].map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('runs two of a client at a time, from exports and feed together, and lets two more wait for their turn', async () => {
    const { anonymous, open, waiting } = await gatedApp()
    const running = ['/exports/issues.csv', '/feeds/issues.geojson'].map((url) => anonymous.send('GET', url))
    await until(() => waiting() === 2)

    const more = ['/exports/places.geojson', '/exports/places.csv'].map((url) => anonymous.send('GET', url))
    await wait(1_200)
    const waitingBefore = waiting()
    open()

    expect((await Promise.all([...running, ...more])).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect([waitingBefore, waiting()]).toEqual([2, 4])
  })

  it('counts each client address by itself', async () => {
    const { anonymous, open, waiting } = await gatedApp({ TRUST_PROXY: '1' })
    const from = (address: string, format: string) =>
      anonymous.send('GET', `/exports/issues.${format}`, { headers: { 'x-forwarded-for': address } })
    const running = [from('203.0.113.1', 'csv'), from('203.0.113.1', 'kml'), from('203.0.113.2', 'gpx')]
    await until(() => waiting() === 3)

    open()

    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('writes one file for all that arrive while the same one is written, with all rows from before', async () => {
    const { anonymous, open, waiting } = await gatedApp({ TRUST_PROXY: '1' })
    const from = (address: string) => anonymous.send('GET', '/exports/issues.csv', { headers: { 'x-forwarded-for': address } })
    const first = from('203.0.113.1')
    await until(() => waiting() === 1)

    const later = ['203.0.113.2', '203.0.113.3', '203.0.113.4'].map(from)
    await app.create.issue({ summary: 'Hole' })
    open()

    const answers = await Promise.all([first, ...later])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(answers.slice(1).map(({ text }) => text.includes('Hole'))).toEqual([true, true, true])
    expect(waiting()).toBe(2)
  })

  it('releases the slot after an error', async () => {
    const newFolders = watchFolders()
    const { anonymous } = await appOn(app.db, {}, { db: { ...app.db, snapshot: () => Promise.reject(new Error('broken')) } })

    const statuses: number[] = []
    for (let n = 0; n < 4; n++) statuses.push((await anonymous.send('GET', '/exports/issues.csv')).status)

    expect([statuses, newFolders()]).toEqual([[500, 500, 500, 500], []])
  })
})

describe('files of whole downloads', () => {
  it('keeps a file for requests for its parts, and deletes it when the app closes', async () => {
    const newFolders = watchFolders()
    const { anonymous, close } = await openAppOn(app.db)

    await anonymous.send('GET', '/exports/issues.csv')
    const kept = newFolders()
    await close()

    expect([kept.length, newFolders()]).toEqual([1, []])
  })

  it('deletes the files of a killed process at the next start', async () => {
    // The output tells this process that the folder is there.
    const script =
      "const { createExportFolder } = await import('./src/gis/downloads/downloads.ts'); console.log(await createExportFolder()); setInterval(() => 0, 1000)"
    const [killed, running] = [startNode('--input-type=module', ['-e', script]), startNode('--input-type=module', ['-e', script])]
    const folders = await Promise.all([killed, running].map(async (one) => (await one.waitForOutput(/(\S+)\n/))[1] ?? ''))
    killed.child.kill('SIGKILL')
    await killed.ended
    const foreign = join(tmpdir(), 'fixpoint-export-of-someone-else')
    mkdirSync(foreign, { recursive: true })
    onTestFinished(() => rmSync(foreign, { recursive: true }))

    await appOn(app.db)

    expect([...folders, foreign].map((folder) => existsSync(folder))).toEqual([false, true, true])
    running.child.kill('SIGKILL')
    await running.ended
    await appOn(app.db)
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, false])
  })
})

describe.runIf(engine === 'server')('a client that hangs up', () => {
  it('frees the connection to the database and the file at once', async () => {
    await app.create.issue()
    const newFolders = watchFolders()
    const { fastify, logged } = await appOn(app.db)
    await fastify.listen({ port: 0, host: '127.0.0.1' })
    const { port } = fastify.server.address() as AddressInfo
    const activeExports = async () => {
      const rows = await queryRows<{ count: number }>(
        app.db,
        sql`SELECT count(*)::integer AS count FROM pg_stat_activity a WHERE a.datname = current_database() AND a.state <> 'idle' AND (a.query LIKE 'FETCH%' OR a.query LIKE 'DECLARE batch%')`,
      )
      return rows[0]?.count ?? 0
    }
    const locked = Promise.withResolvers<undefined>()
    const unlock = Promise.withResolvers<undefined>()
    const holding = app.db.transaction(async (tx) => {
      await tx.execute(sql`LOCK TABLE media IN ACCESS EXCLUSIVE MODE`)
      locked.resolve(undefined)
      await unlock.promise
    })
    onTestFinished(() => unlock.resolve(undefined))
    await locked.promise
    const request = get({ port, host: '127.0.0.1', path: '/exports/issues.csv', headers: { 'user-agent': 'tests' } })
    request.on('error', () => undefined)
    expect(await until(async () => (await activeExports()) === 1)).toBe(true)

    request.destroy()

    expect(await until(async () => (await activeExports()) === 0, 5)).toBe(true)
    expect(await until(() => newFolders().length === 0, 5)).toBe(true)
    unlock.resolve(undefined)
    await holding
    expect(logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})
