import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

import { FILE_KEY, openFileStore } from '../../src/storage/open-file-store.ts'
import { newFileKey } from '../../src/storage/file-store.ts'
import { startBucket } from '../helpers/servers/bucket.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

function createUpload(content = 'a picture') {
  const folder = createTemporaryFolder()
  const path = join(folder, 'upload')
  writeFileSync(path, content)
  return { folder, path }
}

const folder = () => openFileStore({ dataDir: createTemporaryFolder(), s3Url: undefined })
const bucket = async () => openFileStore({ dataDir: '/nowhere', s3Url: (await startBucket()).url })

describe.each([
  ['a folder', folder],
  ['a bucket', bucket],
])('%s', (_kind, openStore) => {
  it('opens, downloads, lists and removes a stored file', async () => {
    const store = await openStore()
    const { folder, path } = createUpload()
    const key = newFileKey('png')

    await store.put(key, path, 'image/png')

    const opened = await store.open(key)
    expect(opened?.bytes).toBe(9)
    expect(opened && (await text(opened.stream))).toBe('a picture')
    expect(await store.size(key)).toBe(9)
    expect(await store.download(key, join(folder, 'copy'))).toBe(true)
    expect(readFileSync(join(folder, 'copy'), 'utf8')).toBe('a picture')
    expect(existsSync(path)).toBe(true)
    const listed = await Array.fromAsync(store.list())
    expect(listed.map((file) => file.key)).toEqual([key])
    expect(Math.abs(Date.now() - (listed[0]?.modifiedAt.getTime() ?? 0))).toBeLessThan(60_000)
    await store.remove(key)
    await store.remove(key)
    expect(await store.open(key)).toBeUndefined()
  })

  it('opens a byte range of a file', async () => {
    const store = await openStore()
    const key = newFileKey('png')
    await store.put(key, createUpload().path, 'image/png')

    const opened = await store.open(key, { start: 2, end: 5 })

    expect(opened?.bytes).toBe(4)
    expect(opened && (await text(opened.stream))).toBe('pict')
  })

  it('treats a missing file as absent: open, size and download find nothing, remove succeeds', async () => {
    const store = await openStore()
    const key = newFileKey('gif')
    const copy = join(createTemporaryFolder(), 'copy')

    expect([await store.open(key), await store.open(key, { start: 0, end: 1 }), await store.size(key)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect([await store.download(key, copy), existsSync(copy)]).toEqual([false, false])
    await store.remove(key)
    expect(await Array.fromAsync(store.list())).toEqual([])
  })

  it('rejects malformed keys', async () => {
    const store = await openStore()
    const { path, folder } = createUpload()

    for (const key of ['../escape', 'pictures/../../escape', 'pictures/ü ?#%2e&.png', '/etc/../escape']) {
      await store.put(key, path, 'image/png').catch((error: Error) => expect(error.name).toBe('StoreUnavailable'))
    }

    expect([existsSync(join(folder, 'escape')), existsSync(join(folder, '..', 'escape'))]).toEqual([false, false])
    expect((await Array.fromAsync(store.list())).filter(({ key }) => FILE_KEY.test(key))).toEqual([])
  })

  it('keeps the file before it if the input cannot be read', async () => {
    const store = await openStore()
    const key = newFileKey('png')
    const { folder, path } = createUpload()
    await store.put(key, path, 'image/png')

    await expect(store.put(key, join(folder, 'missing'), 'image/png')).rejects.toThrow('could not store')

    const opened = await store.open(key)
    expect(opened && (await text(opened.stream))).toBe('a picture')
  })

  it('stores nothing if the input cannot be read', async () => {
    const store = await openStore()

    const key = newFileKey('png')

    await expect(store.put(key, join(createTemporaryFolder(), 'none'), 'image/png')).rejects.toThrow('could not store a file')
  })
})

describe('openFileStore and newFileKey', () => {
  it('lists all pages and batches', async () => {
    const s3 = await startBucket()
    const store = await openFileStore({ dataDir: '/nowhere', s3Url: s3.url })
    const { path } = createUpload()
    const names = Array.from({ length: 510 }, (_, n) => `pictures/ab/${String(n).padStart(40, '0')}.png`)
    const keys = [...names, `pictures/00/${'0'.repeat(40)}.gif`, `pictures/ff/${'f'.repeat(40)}.jpg`]
    await Promise.all(keys.map((key) => store.put(key, path, 'image/png')))

    const listed = (await Array.fromAsync(store.list())).map(({ key }) => key)

    expect(listed.sort()).toEqual(keys.sort())
    expect(s3.requests.filter(({ url }) => url.includes('continuation-token')).length).toBe(1)
  })

  it('creates the folder with the first file and names the file by its key', async () => {
    const dataDir = join(createTemporaryFolder(), 'not', 'yet')
    const store = await openFileStore({ dataDir, s3Url: undefined })
    const key = newFileKey('jpg')

    expect(await Array.fromAsync(store.list())).toEqual([])
    await store.put(key, createUpload().path, 'image/jpeg')

    expect(statSync(join(dataDir, 'files', key)).size).toBe(9)
  })

  it('creates unique keys that match FILE_KEY', () => {
    const keys = ['jpg', 'png', 'gif', 'gif'].map(newFileKey)

    expect(new Set(keys).size).toBe(4)
    expect(keys.filter((key) => !FILE_KEY.test(key))).toEqual([])
  })
})
