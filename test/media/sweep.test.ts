import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { deleteOrphanedFiles } from '../../jobs/handlers/delete-expired.ts'
import { type Database, sql } from '../../src/database/database.ts'
import { storeUploadedImage } from '../../src/media/store-image.ts'
import { addImage } from '../../src/media/queries.ts'
import { openFileStore } from '../../src/storage/open-file-store.ts'
import { newFileKey } from '../../src/storage/file-store.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { startNode } from '../helpers/processes.ts'
import { useApp } from '../helpers/use-app.ts'
import { createImage, listKeys, redImage, shrinkAll, uploadedFile } from './stored-images.ts'
import { queryRows } from '../helpers/query-rows.ts'

const HOUR_MS = 3_600_000

describe('delete-orphaned-files job', () => {
  const app = useApp()

  async function createFolder() {
    const dataDir = createTemporaryFolder()
    const services = { ...app.services, files: await openFileStore({ dataDir, s3Url: undefined }) }
    const queue = { enqueue: () => Promise.resolve('') }
    return {
      db: app.db,
      dataDir,
      services,
      keys: () => listKeys(services.files),
      sweepIn: (hours: number, db: Database = app.db, stopping = new AbortController().signal) =>
        deleteOrphanedFiles({}, { ...services, db, queue, clock: () => new Date(Date.now() + hours * HOUR_MS) }, stopping),
      write(keys: readonly string[], hours = 0) {
        for (const key of keys) {
          const path = join(dataDir, 'files', key)
          mkdirSync(dirname(path), { recursive: true })
          writeFileSync(path, '')
          const at = new Date(Date.now() - hours * HOUR_MS)
          utimesSync(path, at, at)
        }
      },
    }
  }

  it('removes files without a row after six hours', async () => {
    const { write, keys, sweepIn } = await createFolder()
    const [old, young] = [newFileKey('png'), newFileKey('jpg')]
    write([old], 6.1)
    write([young], 5.9)

    await sweepIn(0)

    expect(await keys()).toEqual([young])
  })

  it('keeps all sizes of avatars and of public, pending, rejected and private pictures', async () => {
    const on = await createFolder()
    for (const moderation_state of ['passed', 'held', 'rejected'] as const) {
      const issue_id = await app.create.issue({ moderation_state })
      const comment_id = await app.create.comment({ on: issue_id, moderation_state })
      for (const image of [{}, { comment_id }, { is_answer: true, answer_kept_private: true }]) {
        const { id } = await createImage(on, { issue_id, ...image })
        await app.db.execute(sql`
          WITH happened AS (INSERT INTO events (type, subject_type, subject_id) VALUES ('image.added', 'image', ${id}) RETURNING events.id)
          INSERT INTO outbox_deliveries (event_id, handler) SELECT h.id, 'create-smaller-images' FROM happened h RETURNING outbox_deliveries.event_id`)
      }
    }
    const ada = await app.create.user()
    const [avatar_full, avatar_square] = [newFileKey('gif'), newFileKey('jpg')]
    await app.db.prisma.user.update({ where: { id: ada.id }, data: { avatar_full, avatar_square } })
    on.write([avatar_full, avatar_square])
    await shrinkAll(on)
    const all = await on.keys()

    await on.sweepIn(24 * 365)

    expect(all.length).toBe(3 * 3 * 3 + 2)
    expect(await on.keys()).toEqual(all)
  })

  it('processes thousands of files in batches of 500', async () => {
    const { write, keys, sweepIn } = await createFolder()
    const orphans = Array.from({ length: 3_000 }, () => newFileKey('png'))
    const named = Array.from({ length: 200 }, () => newFileKey('png'))
    write([...orphans, ...named])
    const issue_id = await app.create.issue()
    await app.db.execute(sql`
      INSERT INTO media (issue_id, full_key, content_type, bytes, width, height)
      SELECT ${issue_id}, k.key, 'image/png', 1, 1, 1 FROM unnest(${named}::text[]) AS k (key) RETURNING media.id`)
    const batchSizes: number[] = []
    const listening: Database = {
      ...app.db,
      query: (statement) => {
        batchSizes.push((statement.values[0] as unknown[]).length)
        return app.db.query(statement)
      },
    }

    await sweepIn(7, listening)

    expect(await keys()).toEqual(named.sort())
    expect([batchSizes.length, Math.max(...batchSizes)]).toEqual([7, 500])
  })

  it('stops on abort, and removes nothing while the database is unavailable', async () => {
    const { write, keys, sweepIn } = await createFolder()
    const orphan = newFileKey('png')
    write([orphan])
    const away: Database = { ...app.db, query: () => Promise.reject(new Error('ECONNREFUSED')) }

    await sweepIn(7, app.db, AbortSignal.abort())
    await expect(sweepIn(7, away)).rejects.toThrow('ECONNREFUSED')

    expect(await keys()).toEqual([orphan])
  })

  it('removes old temporary folders of killed workers, but not recent ones', async () => {
    const { sweepIn } = await createFolder()
    const folder = mkdtempSync(join(tmpdir(), 'fixpoint-work-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))

    await sweepIn(5.9)
    expect(existsSync(folder)).toBe(true)
    await sweepIn(6.1)

    expect(existsSync(folder)).toBe(false)
  })

  describe('after a crash between storing the file and its row', () => {
    it.each(['during', 'after'])('serves no file of a process killed %s storing it, and removes it within a day', async (when) => {
      const { dataDir, keys, sweepIn } = await createFolder()
      const { path } = uploadedFile(await redImage().toBuffer())

      const { signal, stdout, stderr } = await startNode('test/media/processes/store-and-crash.ts', [path, when], {
        DATA_DIR: dataDir,
      }).ended

      const [key = ''] = await keys()
      expect([signal, stdout, stderr]).toEqual(['SIGKILL', `stored ${key}\n`, ''])
      expect((await app.as.anonymous.send('GET', `/files/${key}`)).status).toBe(404)
      await sweepIn(1)
      expect(await keys()).toEqual([key])
      await sweepIn(7)
      expect(await keys()).toEqual([])
    })

    it('removes a part of a file within a day', async () => {
      const { dataDir, keys, sweepIn } = await createFolder()
      const part = `${newFileKey('png')}.${randomUUID()}`
      mkdirSync(dirname(join(dataDir, 'files', part)), { recursive: true })
      writeFileSync(join(dataDir, 'files', part), 'half')

      const before = await keys()
      await sweepIn(7)

      expect([before, await keys()]).toEqual([[part], []])
    })

    it('leaves no row of a failed transaction, and removes the file within a day', async () => {
      const { services, keys, sweepIn } = await createFolder()
      const issue_id = await app.create.issue()
      const stored = await storeUploadedImage(services.files, uploadedFile(await redImage().toBuffer()))

      const failed = app.db.transaction(async (tx) => {
        await addImage(tx, { issue_id, comment_id: null, ...stored })
        throw new Error('planted')
      })

      await expect(failed).rejects.toThrow('planted')
      expect(await queryRows(app.db, sql`SELECT m.id FROM media m`)).toEqual([])
      expect(await keys()).toEqual([stored.full_key])
      await sweepIn(7)
      expect(await keys()).toEqual([])
    })

    it('leaves no row and no file if the store fails', async () => {
      const { services, keys } = await createFolder()
      const { path } = uploadedFile(await redImage().toBuffer())
      const broken = { ...services.files, put: () => Promise.reject(new Error('planted')) }

      await expect(storeUploadedImage(broken, { path })).rejects.toThrow('planted')

      expect(await keys()).toEqual([])
      expect([existsSync(path), existsSync(`${path}-clean`)]).toEqual([true, false])
    })
  })
})
