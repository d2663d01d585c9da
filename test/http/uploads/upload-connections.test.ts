import { existsSync } from 'node:fs'
import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Type from 'typebox'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { failsWith } from '../../../src/http/schema/fields.ts'
import { type Upload, UPLOAD_BYTES_MAX, UploadedFile } from '../../../src/http/request/upload.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, bearer } from '../app-on.ts'
import { useOwnTemporaryFolder } from './own-temporary-folder.ts'
import { addTestRoutes } from '../test-routes.ts'

let handle: (image: Upload) => Promise<void>

addTestRoutes(async (app) => {
  const schema = {
    operationId: 'send',
    body: Type.Object({ image: UploadedFile() }),
    response: { 200: Type.Object({ bytes: Type.Integer() }), ...failsWith(400, 413, 415, 422) },
  }
  app.post('/send', { schema, config: { files: ['image'] } }, async ({ body: { image } }) => {
    await handle(image)
    return { bytes: image.bytes }
  })
})

const app = useApp({ keepRows: true, ownApp: true })
const temporary = useOwnTemporaryFolder()
let port: number

beforeAll(async () => {
  await app.fastify.listen({ port: 0, host: '127.0.0.1' })
  port = (app.fastify.server.address() as AddressInfo).port
})

beforeEach(() => {
  handle = async () => {}
})

const SOON = { timeout: 60_000, interval: 10 }
const START = '--cut\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n'
const END = '\r\n--cut--\r\n'
const MB = Buffer.alloc(1024 * 1024, 'x')

/** Sends a request in pieces from the n-th loopback address; the response resolves later. */
function sending(headers: Record<string, string | number> = {}, address = 1) {
  const type = 'multipart/form-data; boundary=cut'
  const sent = request({
    ...{ port, method: 'POST', path: '/api/v2/send', host: '127.0.0.1', localAddress: `127.0.0.${address}` },
    headers: { 'user-agent': 'tests', 'content-type': type, ...headers },
  })
  const answered = new Promise<{ status: number | undefined; text: string; retryAfter: string | undefined }>((resolve, reject) => {
    sent.once('error', reject).once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('end', () => resolve({ status: response.statusCode, text, retryAfter: response.headers['retry-after'] }))
    })
  })
  answered.catch(() => undefined)
  const write = (piece: string | Buffer) => new Promise((resolve) => sent.write(piece, resolve))
  return { sent, answered, write }
}

const storedFiles = async () => (await temporary.entries()).filter((name) => name.includes('/'))
const isEmpty = () => vi.waitFor(async () => expect(await temporary.entries()).toEqual([]), SOON)

const tooMany = { status: 503, retryAfter: '5', text: expect.stringContaining('Too many files') as string }

async function begin(count: number, make: (n: number) => ReturnType<typeof sending>) {
  const before = (await storedFiles()).length
  const begun = Array.from({ length: count }, (_, n) => make(n))
  for (const { write } of begun) await write(START + 'a')
  await vi.waitFor(async () => expect(await storedFiles()).toHaveLength(before + count), SOON)
  return begun
}

async function sendWhole(headers: Record<string, string> = {}, address = 1) {
  const { sent, answered } = sending(headers, address)
  sent.end(START + 'a' + END)
  return answered
}

async function finish(begun: readonly ReturnType<typeof sending>[]) {
  for (const { sent } of begun) sent.end(END)
  expect(await Promise.all(begun.map(async ({ answered }) => (await answered).text))).toEqual(begun.map(() => '{"bytes":1}'))
  await isEmpty()
}

describe('an upload in progress', () => {
  it('is written to disk and deleted when the client disconnects', async () => {
    const { sent, write } = sending()
    await write(START)
    for (let n = 0; n < 4; n++) await write(MB)
    await vi.waitFor(async () => {
      const [file] = await storedFiles()
      expect((await readFile(join(temporary.path, file ?? ''))).length).toBeGreaterThan(2 * MB.length)
    }, SOON)

    sent.destroy()

    await isEmpty()
  })

  it('stays readable for its route after the client disconnects, and is deleted then', async () => {
    let path = ''
    let read: number | undefined
    handle = async (image) => {
      path = image.path
      sent.destroy()
      await wait(100)
      read = (await readFile(image.path)).length
    }
    const { sent, write } = sending()

    await write(START)
    await write(MB)
    sent.end(END)

    await vi.waitFor(() => expect(read).toBe(MB.length), SOON)
    await isEmpty()
    expect(existsSync(path)).toBe(false)
  })

  it('returns a readable 413 while it arrives if it is too large', async () => {
    const { sent, answered, write } = sending()
    await write(START)
    for (let n = 0; n < UPLOAD_BYTES_MAX / MB.length + 5; n++) await write(MB)

    expect(await answered).toMatchObject({ status: 413, text: expect.stringContaining('A file may have 20 MB at most.') as string })
    await isEmpty()
    sent.destroy()
  })

  it('is aborted some time after the refusal', async () => {
    const { sent, answered, write } = sending()
    let isOver = false
    sent.once('close', () => (isOver = true))
    await write(START)
    for (let n = 0; n < 130 && !isOver; n++) await Promise.race([write(MB), wait(200)])

    expect((await answered).status).toBe(413)
    await vi.waitFor(() => expect(isOver).toBe(true), SOON)
  })

  it('returns 503 for the ninth of a user and the fifth of an anonymous address', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const ada = bearer((await app.create.user()).token)
    const begun = [...(await begin(8, () => sending(ada))), ...(await begin(4, () => sending()))]

    expect(await sendWhole(ada)).toMatchObject(tooMany)
    expect(await sendWhole()).toMatchObject(tooMany)
    expect(await sendWhole({}, 2)).toMatchObject({ status: 200 })
    await finish(begun)
  })

  it('is accepted while more slow bodies arrive than there are slots', async () => {
    const begun = await begin(20, (n) => sending({}, 2 + Math.floor(n / 4)))

    expect(await sendWhole({}, 9)).toMatchObject({ status: 200 })
    await finish(begun)
  })

  it('returns 408 and frees its place below the minimum rate only', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    try {
      const [steady, ...silent] = await begin(4, () => sending())
      let isOver = false
      silent[0]?.sent.once('close', () => (isOver = true))
      for (let n = 1; n <= 3; n++) {
        await steady?.write(MB.subarray(0, 310_000))
        await vi.waitFor(async () => {
          const sizes = await Promise.all((await storedFiles()).map(async (name) => (await stat(join(temporary.path, name))).size))
          expect(Math.max(...sizes)).toBeGreaterThan(n * 309_000)
        }, SOON)
        vi.advanceTimersByTime(30_000)
      }

      expect(await Promise.all(silent.map(async ({ answered }) => (await answered).status))).toEqual([408, 408, 408])
      await vi.waitFor(() => expect(isOver).toBe(true), SOON)
      expect(await storedFiles()).toHaveLength(1)
      expect(await sendWhole()).toMatchObject({ status: 200 })
      steady?.sent.end(END)
      expect(await steady?.answered).toMatchObject({ status: 200, text: '{"bytes":930001}' })
    } finally {
      vi.useRealTimers()
    }
    await isEmpty()
  })
})

describe('an upload while all slots of anonymous callers are taken', () => {
  const PERIOD_MS = 30_000
  /** Takes all slots, with so many bytes of each in a period of the measured speed. */
  async function occupyAll(bytes: readonly number[]) {
    const begun = await begin(15, (n) => sending({}, 2 + Math.floor(n / 4)))
    await Promise.all(begun.map(({ write }, n) => write(Buffer.alloc(bytes[n % bytes.length] ?? 0))))
    await vi.waitFor(async () => {
      const sizes = await Promise.all((await storedFiles()).map(async (name) => (await stat(join(temporary.path, name))).size))
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(
        15 + begun.reduce((sum, _, n) => sum + (bytes[n % bytes.length] ?? 0), 0),
      )
    }, SOON)
    vi.advanceTimersByTime(PERIOD_MS)
    return begun
  }
  async function end(begun: readonly ReturnType<typeof sending>[]) {
    for (const { sent } of begun) sent.end(END)
    expect((await Promise.all(begun.map(({ answered }) => answered))).map(({ status }) => status)).toEqual(begun.map(() => 200))
    await isEmpty()
  }
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    return () => void vi.useRealTimers()
  })

  it('gets the slot of the slowest one, which gets 408', async () => {
    const [slowest, ...others] = await occupyAll([1_100_000, ...Array.from({ length: 14 }, () => 1_400_000)])

    expect(await sendWhole({}, 9)).toMatchObject({ status: 200 })
    expect(await slowest?.answered).toMatchObject({ status: 408 })
    await end(others)
  })

  it('gets 503 while they are fast, except from a user', async () => {
    const ada = bearer((await app.create.user()).token)
    const begun = await occupyAll([3_100_000])

    expect(await sendWhole({}, 9)).toMatchObject(tooMany)
    expect(await sendWhole(ada, 9)).toMatchObject({ status: 200 })
    await end(begun)
  })

  it('gets 503 in its middle if it is larger than what arrives without a slot', async () => {
    const begun = await occupyAll([3_100_000])
    const { sent, answered, write } = sending({}, 9)

    await write(START)
    for (let n = 0; n < 2; n++) await write(MB)

    expect(await answered).toMatchObject(tooMany)
    sent.destroy()
    await end(begun)
  })
})

describe('the fifth upload of a caller', () => {
  it('gets the place of the slowest one after two seconds, which gets 408', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const [slowest, ...others] = await begin(4, () => sending())
    await Promise.all(others.map(({ write }) => write(Buffer.alloc(10_000))))
    await vi.waitFor(async () => {
      const sizes = await Promise.all((await storedFiles()).map(async (name) => (await stat(join(temporary.path, name))).size))
      expect(sizes.sort()).toEqual([1, 10_001, 10_001, 10_001])
    }, SOON)
    vi.advanceTimersByTime(2_100)

    const fifth = await sendWhole()

    expect([fifth.status, (await slowest?.answered)?.status]).toEqual([200, 408])
    for (const { sent } of others) sent.end(END)
    expect((await Promise.all(others.map(({ answered }) => answered))).map(({ status }) => status)).toEqual([200, 200, 200])
    await isEmpty()
  })
})

describe('bodies that arrive without a slot', () => {
  it('are at most 150 of anonymous callers', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const begun = await begin(150, (n) => sending({}, 2 + Math.floor(n / 4)))

    expect(await sendWhole({}, 99)).toMatchObject(tooMany)
    await finish(begun)
  })
})

describe('files of a killed process', () => {
  it('are deleted at the next start after an hour, and no other files', async () => {
    const names = ['fixpoint-upload-old', 'fixpoint-upload-young', 'other']
    const paths = names.map((name) => join(temporary.path, name))
    for (const path of paths) {
      await mkdir(path)
      await writeFile(join(path, 'file'), 'x')
    }
    const anHourAgo = new Date(Date.now() - 3_601_000)
    for (const path of [paths[0], paths[2]]) await utimes(path ?? '', anHourAgo, anHourAgo)

    await appOn(app.db)

    expect((await temporary.entries()).filter((name) => !name.includes('/')).sort()).toEqual(['fixpoint-upload-young', 'other'])
  })
})
