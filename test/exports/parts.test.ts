import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import type { Database } from '../../src/database/database.ts'
import { createFileCache } from '../../src/gis/downloads/file-cache.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn, bearer } from '../http/app-on.ts'
import { gdal, hasGdal } from './writers/gdal.ts'

const run = promisify(execFile)
const app = useApp()
const CSV = '/exports/issues.csv'

/** Returns an app without kept files, which counts the snapshots that it reads. */
async function newApp(env: Record<string, string> = {}) {
  let snapshots = 0
  const db: Database = {
    ...app.db,
    snapshot: (work, signal) => {
      snapshots += 1
      return app.db.snapshot(work, signal)
    },
  }
  const one = await appOn(app.db, env, { db })
  const send = one.anonymous.send
  return {
    ...one,
    get: (headers: Record<string, string> = {}, url = CSV) => send('GET', url, { headers }),
    snapshots: () => snapshots,
  }
}
const bytes = (from: number, to: number | '') => ({ range: `bytes=${from}-${to}` })
const from = (address: string) => ({ 'x-forwarded-for': address })

describe('a part of a whole download', () => {
  beforeEach(async () => {
    await app.create.issue({ summary: 'First hole' })
  })

  it('belongs to the file that HEAD describes, and is not compressed', async () => {
    const { anonymous, get, snapshots } = await newApp()
    const gzip = { 'accept-encoding': 'gzip' }

    const head = await anonymous.send('HEAD', CSV, { headers: gzip })
    await app.create.issue({ summary: 'Second hole' })
    const parts = [await get({ ...bytes(0, 99), ...gzip }), await get({ ...bytes(100, ''), ...gzip })]

    const length = Number(head.headers['content-length'])
    const common = { etag: head.headers['etag'], 'accept-ranges': 'bytes', 'x-total-count': '1', 'cache-control': 'no-store' }
    expect(head).toMatchObject({ status: 200, text: '', headers: common })
    expect(head.headers['etag']).toMatch(/^"[\w-]{27}"$/)
    expect(parts[0]).toMatchObject({
      status: 206,
      headers: { ...common, 'content-length': '100', 'content-range': `bytes 0-99/${length}` },
    })
    expect(parts[1]).toMatchObject({ status: 206, headers: { ...common, 'content-range': `bytes 100-${length - 1}/${length}` } })
    expect(parts.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, undefined])
    expect(parts.map(({ text }) => text).join('')).toMatch(/^id,.*First hole.*\r\n$/s)
    expect(snapshots()).toBe(1)
  })

  it('continues an earlier download by If-Range, and is the whole current file if that one is gone', async () => {
    const { get } = await newApp()
    const first = await get()
    await app.create.issue({ summary: 'Second hole' })
    const second = await get()

    const rest = await get({ ...bytes(50, ''), 'if-range': String(first.headers['etag']) })
    const unknown = await get({ ...bytes(50, ''), 'if-range': '"another"' })
    const dated = await get({ ...bytes(50, ''), 'if-range': 'Sat, 28 Nov 2026 07:00:00 GMT' })

    expect([rest.status, rest.text]).toEqual([206, first.text.slice(50)])
    expect([unknown, dated].map(({ status, text }) => [status, text])).toEqual([
      [200, second.text],
      [200, second.text],
    ])
    expect([unknown, dated].map(({ headers }) => headers['etag'])).toEqual([second.headers['etag'], second.headers['etag']])
    expect(second.headers['etag']).not.toBe(first.headers['etag'])
  })

  it('belongs to the file that its client read last, else to one that is at most a minute old', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { get, snapshots } = await newApp({ TRUST_PROXY: '1' })
    const etagOf = async (address: string) => (await get({ ...bytes(0, 9), ...from(address) })).headers['etag']

    const first = await etagOf('203.0.113.1')
    const shared = await etagOf('203.0.113.2')
    await app.create.issue({ summary: 'Second hole' })
    vi.setSystemTime(Date.now() + 61_000)
    const later = [await etagOf('203.0.113.1'), await etagOf('203.0.113.2'), await etagOf('203.0.113.3')]

    expect([shared, ...later.slice(0, 2)]).toEqual([first, first, first])
    expect(later[2]).not.toBe(first)
    expect(snapshots()).toBe(2)
  })

  it('is written once for requests that arrive together', async () => {
    const { get, snapshots } = await newApp()

    const parts = await Promise.all([0, 10, 20, 30].map((start) => get(bytes(start, start + 9))))

    expect(parts.map(({ status }) => status)).toEqual([206, 206, 206, 206])
    expect(snapshots()).toBe(1)
  })

  it('is never read from the file of a caller with another view', async () => {
    const [ada, employee] = [await app.create.user(), await app.create.user({ role: 'Admin' })]
    const { get, snapshots } = await newApp()
    const first = await get()
    await app.create.issue({ summary: 'Second hole' })

    const others = []
    for (const caller of [bearer(ada.token), bearer(employee.token)])
      others.push((await get({ ...bytes(0, 9), ...caller, 'if-range': String(first.headers['etag']) })).status)

    expect(others).toEqual([200, 200])
    expect(snapshots()).toBe(3)
  })

  it('is 416 outside of the file and for several ranges; an invalid range is ignored', async () => {
    const { get } = await newApp()
    const { text } = await get()
    const range = `bytes */${text.length}`

    expect(await get(bytes(text.length, ''))).toMatchObject({ status: 416, headers: { 'content-range': range } })
    expect(await get({ range: 'bytes=0-1,5-6' })).toMatchObject({
      status: 416,
      headers: { 'content-range': range },
      body: { message: 'Only one range can be read at a time: send a request for each.' },
    })
    expect(await get({ range: 'lines=1-2' })).toMatchObject({ status: 200, text })
  })

  it('is sent by the feed, too', async () => {
    const { get } = await newApp()

    expect(await get(bytes(0, 9), '/feeds/issues.geojson')).toMatchObject({ status: 206, text: '{"type":"F' })
  })

  it('is not readable without credentials where downloads need them', async () => {
    const { anonymous, get } = await newApp({ EXPORTS: 'token' })

    expect([(await get(bytes(0, 9))).status, (await anonymous.send('HEAD', CSV)).status]).toEqual([401, 401])
  })

  it('has a weak ETag in common with the compressed file, which has no parts', async () => {
    const { get } = await newApp()

    const { headers } = await get({ 'accept-encoding': 'gzip' })
    const part = await get(bytes(0, 9))

    expect([headers['etag'], headers['accept-ranges']]).toEqual([`W/${part.headers['etag'] as string}`, undefined])
  })
})

describe('kept files', () => {
  let number = 0
  const spooled = (size: number, folder = 'folder') => ({
    ...{ path: '/', bytes: size, rows: 1, cursor: 'x', etag: `"${++number}"`, folder, startedAt: 0 },
  })
  const reading = { view: 'all', client: 'a' }
  const keep = () => {
    const removed: string[] = []
    const files = createFileCache(async (folder) => void removed.push(folder))
    return { files, removed }
  }

  it('are deleted after half an hour', () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => Date.now())
    onTestFinished(() => {
      clock.mockRestore()
      vi.useRealTimers()
    })
    const { files, removed } = keep()
    files.add(reading, spooled(10))

    vi.advanceTimersByTime(30 * 60_000 - 1)
    const before = [files.find(reading) !== undefined, removed.length]
    vi.advanceTimersByTime(2)

    expect(before).toEqual([true, 0])
    expect([files.find(reading), removed]).toEqual([undefined, ['folder']])
  })

  it('take at most 4 GiB, and are at most a hundred', async () => {
    const { files, removed } = keep()
    for (const name of ['a', 'b', 'c']) files.add(reading, spooled(2 ** 31, name))
    const removedBySize = [...removed]
    for (let n = 0; n < 100; n++) files.add(reading, spooled(1, `small ${n}`))
    const removedByNumber = removed.slice(removedBySize.length)

    await files.clear()

    expect([removedBySize, removedByNumber]).toEqual([['a'], ['b', 'c']])
    expect(new Set(removed).size).toBe(103)
  })
})

describe.skipIf(!hasGdal)(`${gdal} with /vsicurl/`, () => {
  it.each(['geojson', 'geojsonl', 'csv', 'gpx', 'kml', 'fgb', 'gpkg'])('opens %s from its address', async (format) => {
    await Promise.all(Array.from({ length: 30 }, (_, n) => app.create.issue({ at: { lng: GREEN.lng + n, lat: GREEN.lat } })))
    const { fastify, snapshots } = await newApp()
    await fastify.listen({ port: 0, host: '127.0.0.1' })
    const { port } = fastify.server.address() as AddressInfo
    const options = ['-so', '-al', '-oo', 'X_POSSIBLE_NAMES=lng', '-oo', 'Y_POSSIBLE_NAMES=lat']
    const box = [GREEN.lng - 0.5, GREEN.lat - 1, GREEN.lng + 9.5, GREEN.lat + 1].map(String)

    const { stdout } = await run('ogrinfo', [
      ...options,
      '-spat',
      ...box,
      `/vsicurl/http://127.0.0.1:${port}/exports/issues.${format}`,
    ])

    expect(stdout).toMatch(/^Feature Count: 10$/m)
    expect(snapshots()).toBe(1)
  })
})
