import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

import { FILE_KEY, newFileKey, openFileStore } from '../../src/files/store.ts'
import { temporaryFolder } from '../helpers/folders.ts'

function givenStore() {
  const folder = temporaryFolder()
  const path = join(folder, 'upload')
  writeFileSync(path, 'a picture')
  return { folder, path, store: openFileStore({ dataDir: folder, s3Url: undefined }) }
}

test('a stored file can be opened, downloaded, listed and removed', async () => {
  const { folder, path, store } = givenStore()
  const key = newFileKey('png')

  await store.put(key, path, 'image/png')

  const opened = await store.open(key)
  expect(opened?.bytes).toBe(9)
  expect(opened && (await text(opened.stream))).toBe('a picture')
  expect(await store.download(key, join(folder, 'copy'))).toBe(true)
  expect(readFileSync(join(folder, 'copy'), 'utf8')).toBe('a picture')
  expect(existsSync(path)).toBe(true)
  const listed = await Array.fromAsync(store.list())
  expect(listed.map((file) => file.key)).toEqual([key])
  expect(Math.abs(Date.now() - (listed[0]?.modifiedAt.getTime() ?? 0))).toBeLessThan(60_000)
  await store.remove(key)
  await store.remove(key)
  expect(await store.open(key)).toBeUndefined()
  expect(await store.download(key, join(folder, 'copy'))).toBe(false)
})

test('an empty store lists nothing', async () => {
  expect(await Array.fromAsync(givenStore().store.list())).toEqual([])
})

test('every key is another one, and of the one form that is served', () => {
  const keys = ['jpg', 'png', 'gif', 'gif'].map(newFileKey)

  expect(new Set(keys).size).toBe(4)
  expect(keys.filter((key) => !FILE_KEY.test(key))).toEqual([])
})
