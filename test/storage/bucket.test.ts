import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { openFileStore } from '../../src/storage/open-file-store.ts'
import { type FileStore, newFileKey } from '../../src/storage/file-store.ts'
import { type FailingHandler, startBucket } from '../helpers/servers/bucket.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

const LARGE = 20 * 1024 * 1024

async function createStore(responseMaxMs = 250) {
  const s3 = await startBucket()
  const path = join(createTemporaryFolder(), 'upload')
  writeFileSync(path, 'a picture')
  return {
    s3,
    path,
    key: newFileKey('png'),
    store: await openFileStore({ dataDir: '/nowhere', s3Url: s3.url, responseMaxMs }),
  }
}

describe('S3 store', () => {
  it('sends signed requests with a length and without checksums, for every S3-compatible server', async () => {
    const { s3, path, key, store } = await createStore()

    await store.put(key, path, 'image/png')
    await (await store.open(key))?.stream.toArray()
    await Array.fromAsync(store.list())
    await store.remove(key)

    const [put, ...others] = s3.requests
    expect(put).toMatchObject({ method: 'PUT', headers: { 'content-length': '9', 'content-type': 'image/png' } })
    expect(put?.url).toMatch(`/pictures/${key}`)
    expect(others.map(({ method }) => method)).toEqual(['GET', ...Array<string>(256).fill('GET'), 'DELETE'])
    for (const { headers } of s3.requests) {
      expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /)
      expect(Object.keys(headers).filter((name) => /checksum|trailer|transfer-encoding|content-encoding|acl/.test(name))).toEqual(
        [],
      )
    }
  })

  const operations: readonly [string, (store: FileStore, key: string, path: string) => Promise<unknown>][] = [
    ['put', (store, key, path) => store.put(key, path, 'image/png')],
    ['open', (store, key) => store.open(key)],
    ['size', (store, key) => store.size(key)],
    ['download', (store, key, path) => store.download(key, `${path}-copy`)],
    ['remove', (store, key) => store.remove(key)],
    ['list', (store) => Array.fromAsync(store.list())],
  ]
  const failures: readonly [string, FailingHandler | 'stopped'][] = [
    ['returns 500', (_request, response) => void response.writeHead(500).end()],
    ['returns 503 with a page', (_request, response) => void response.writeHead(503).end('<html>busy</html>')],
    ['denies access', (_request, response) => void response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')],
    ['closes the connection', (request) => void request.socket.destroy()],
    ['does not respond', () => undefined],
    ['is stopped', 'stopped'],
  ]

  it.each(operations.flatMap(([name, work]) => failures.map(([kind, failure]) => ({ name, kind, work, failure }))))(
    'rejects $name with a clear error, without the secret, if the server $kind',
    async ({ work, failure, kind }) => {
      const { s3, path, key, store } = await createStore()
      if (failure === 'stopped') s3.close()
      else s3.failWith(failure)

      const error = await work(store, key, path).catch((thrown: unknown) => thrown as Error)

      expect(error).toMatchObject({
        name: 'StoreUnavailable',
        statusCode: 503,
        message: expect.stringMatching(/^The file store could not/) as string,
      })
      // The service waits no longer than its own limits.
      if (kind === 'does not respond')
        expect(String((error as Error).cause)).toMatch(/exceeded the configured 250 ms|timed out after 500 ms of inactivity/)
      expect(`${(error as Error).stack} ${String((error as Error).cause)}`).not.toContain('a/s+e')
    },
  )

  it('reports a wrong bucket or secret as unavailable, not as a missing file', async () => {
    const { s3, key, path, store } = await createStore()
    await store.put(key, path, 'image/png')
    const otherAt = (s3Url: string) => openFileStore({ dataDir: '/nowhere', s3Url })

    for (const url of [s3.urlOf('wrong', 'pictures'), s3.urlOf('a/s+e=c%r@e:t', 'another')]) {
      await expect((await otherAt(url)).open(key)).rejects.toMatchObject({ name: 'StoreUnavailable' })
    }
  })

  it('retries after one transient failure', async () => {
    const { s3, key, path, store } = await createStore()
    const failOnce = () =>
      s3.failWith((_request, response) => {
        s3.failWith()
        response.writeHead(500).end()
      })

    failOnce()
    await store.put(key, path, 'image/png')
    failOnce()
    const opened = await store.open(key)

    expect(opened && (await text(opened.stream))).toBe('a picture')
  })

  it('fails the stream if the connection breaks, and does not restart the download', async () => {
    const { s3, key, store } = await createStore()
    s3.failWith((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half')
      setTimeout(() => response.destroy(), 20)
    })

    const opened = await store.open(key)

    await expect(opened && buffer(opened.stream)).rejects.toThrow()
    await expect(store.download(key, join(createTemporaryFolder(), 'copy'))).rejects.toMatchObject({ name: 'StoreUnavailable' })
  })

  it('fails the stream if the server stalls', async () => {
    const { s3, key, store } = await createStore()
    s3.failWith((_request, response) => void response.writeHead(200, { 'content-length': '1000' }).write('half'))

    const opened = await store.open(key)

    await expect(opened && buffer(opened.stream)).rejects.toThrow()
  })

  it('streams uploads from the disk', async () => {
    // A busy machine may pause for longer than the limit of the other tests.
    const { s3, key, path, store } = await createStore(30_000)
    writeFileSync(path, Buffer.alloc(LARGE, 'a'))
    let arrived: IncomingMessage | undefined
    s3.failWith((request) => void (arrived = request))

    const stored = store.put(key, path, 'image/png')
    while (!arrived) await sleep(5)
    await sleep(100)
    // The test changes the unsent part of the file; a client that buffers the whole file would send the old bytes.
    writeFileSync(path, Buffer.alloc(LARGE, 'b'))
    s3.failWith()
    const received = await buffer(arrived)
    arrived.socket.destroy()
    await stored

    expect(received.length).toBe(LARGE)
    expect(received.filter((byte) => byte === 0x61).length).toBeLessThan(LARGE / 3)
  })

  it('applies backpressure to downloads', async () => {
    const { s3, key, store } = await createStore()
    let sent = 0
    s3.failWith((_request, response) => {
      response.writeHead(200, { 'content-length': String(LARGE) })
      const send = () => {
        while (sent < LARGE) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', send)
        }
        response.end()
      }
      send()
    })

    const opened = await store.open(key)
    await sleep(200)
    const ahead = sent
    opened?.stream.destroy()

    expect(opened?.bytes).toBe(LARGE)
    expect(ahead).toBeLessThan(LARGE / 2)
  })
})

describe('S3_URL', () => {
  it.each([
    'http://host/bucket',
    'https://KEY@host/bucket',
    'https://KEY:SECRET-text@host',
    'https://KEY:SECRET-text@host/',
    'https://KEY:SECRET-text@host/bucket/folder',
    'ftp://KEY:SECRET-text@host/bucket',
    'https://KEY:SECRET-text/with/slashes@host/bucket',
    'https://KEY:SECRET-text@host/bucket?zone=x',
    'https://KEY:SECRET-text@host:99999/bucket',
    'https://KEY:SECRET-text%@host/bucket',
  ])('rejects %s at start-up in one sentence without the secret', (S3_URL) => {
    const read = () => readConfig({ S3_URL, PUBLIC_URL: 'http://fixpoint.test' })

    expect(read).toThrow(/S3_URL.*https:\/\/KEY:SECRET@host\/bucket/)
    expect(read).not.toThrow(/SECRET-text/)
  })

  it('accepts a percent-encoded secret with any characters', async () => {
    const { s3 } = await createStore()

    expect(readConfig({ S3_URL: s3.url, PUBLIC_URL: 'http://fixpoint.test' }).s3Url).toBe(s3.url)
  })
})
