import { symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import sharp from 'sharp'
import { expect, it } from 'vitest'

import { encodeImage } from '../../../src/images/image.ts'
import { createTemporaryFolder } from '../../helpers/temporary-folder.ts'
import { useApp } from '../../helpers/use-app.ts'
import { addTestRoutes } from '../test-routes.ts'

/** Returns a link to the device of which every write fails like one to a full disk. A writer that deletes its path deletes the link only. */
function fullFile(): string {
  const path = join(createTemporaryFolder(), 'full')
  symlinkSync('/dev/full', path)
  return path
}
const red = () => sharp({ create: { width: 300, height: 300, channels: 3, background: '#f00' } })

/** A database of two pages is full in the same way as its disk. */
const fillDatabase = 'PRAGMA max_page_count = 2; CREATE TABLE a (b); INSERT INTO a VALUES (randomblob(100000))'

async function fillDatabaseInWorker(): Promise<void> {
  const worker = new Worker(`new (require('node:sqlite').DatabaseSync)(':memory:').exec('${fillDatabase}')`, { eval: true })
  await new Promise((resolve, reject) => worker.once('error', reject).once('exit', resolve))
}

const writes: Readonly<Record<string, () => Promise<unknown>>> = {
  file: () => writeFile(fullFile(), 'x'),
  jpeg: () => encodeImage(red(), fullFile(), 'jpeg'),
  png: () => encodeImage(red(), fullFile(), 'png'),
  gif: () => encodeImage(red(), fullFile(), 'gif'),
  geopackage: async () => new DatabaseSync(':memory:').exec(fillDatabase),
  'geopackage in a thread': fillDatabaseInWorker,
}

const outOfFiles: Readonly<Record<string, Error>> = {
  file: Object.assign(new Error('too many open files'), { code: 'EMFILE' }),
  connection: new Error('Query failed', { cause: Object.assign(new Error('socket'), { code: 'ENFILE' }) }),
  thread: new Error('Worker initialization failure: EMFILE'),
  picture: new Error('VipsForeignSave: unable to open: Too many open files'),
}

addTestRoutes(async (app) => {
  app.get<{ Params: { name: string } }>('/write/:name', { schema: { hide: true } }, async ({ params: { name } }) => {
    await writes[name]?.()
  })
  app.get<{ Params: { name: string } }>('/open/:name', { schema: { hide: true } }, async ({ params: { name } }) => {
    throw outOfFiles[name] ?? new Error('unknown')
  })
})

const app = useApp({ keepRows: true, ownApp: true })

it.each(Object.keys(writes))('a full disk is 503 with Retry-After for a %s', async (name) => {
  const { status, headers } = await app.as.anonymous.get(`/write/${name}`)

  expect([status, headers['retry-after']]).toEqual([503, '5'])
})

it.each(Object.keys(outOfFiles))('a process without a free file descriptor is 503 with Retry-After for a %s', async (name) => {
  const { status, headers } = await app.as.anonymous.get(`/open/${name}`)

  expect([status, headers['retry-after']]).toEqual([503, '5'])
})
