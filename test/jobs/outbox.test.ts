import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { deliver } from '../../jobs/handlers/deliver.ts'
import { dispatchOutbox } from '../../jobs/handlers/batch-jobs.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { deleteOrphanedFiles } from '../../jobs/handlers/delete-expired.ts'
import { sql, type Database, type Transaction } from '../../src/database/database.ts'
import { createDeliveryQueue, queueAfterCommit } from '../../src/outbox/delivery-jobs.ts'
import { STARTS_MAX, recordEvent } from '../../src/outbox/queries.ts'
import { newFileKey } from '../../src/storage/file-store.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { createTemporaryFileStore } from './files.ts'
import { createIssue } from './create-issues.ts'
import { silentLog } from './log.ts'
import { createMailer } from './mails.ts'
import { queryRows } from '../helpers/query-rows.ts'

const notStopping = new AbortController().signal

interface Queued {
  readonly payload: { readonly event_id: number; readonly handler: string }
  readonly id: string | undefined
}

describe('an outbox delivery', () => {
  let db: Database
  beforeAll(async () => {
    db = await openTestDatabase()
  })
  afterAll(() => db.close())
  beforeEach(() => resetDatabase(db))

  function createServices(clock = () => new Date()): JobServices & { queued: Queued[] } {
    const queued: Queued[] = []
    const enqueue: JobServices['queue']['enqueue'] = (_name, payload, options) => {
      queued.push({ payload: payload as Queued['payload'], id: options?.id })
      return Promise.resolve('')
    }
    return { db, log: silentLog, clock, files: createTemporaryFileStore(), ...createMailer(), queue: { enqueue }, queued }
  }

  it('is queued once, after the commit of its transaction, also if that was retried or others were rolled back', async () => {
    const { queued, queue } = createServices()
    const queueing = queueAfterCommit(db, createDeliveryQueue(queue, silentLog))
    let attempts = 0
    const record = async (tx: Transaction, error?: Error) => {
      await recordEvent(tx, { type: 'user.password_changed', subject_id: 0, actor_id: null })
      expect(queued).toEqual([])
      if (error) throw error
    }

    await expect(queueing.transaction((tx) => record(tx, new Error('rolled back')))).rejects.toThrow('rolled back')
    await queueing.transaction((tx) =>
      record(tx, ++attempts === 1 ? Object.assign(new Error('conflict'), { code: '40001' }) : undefined),
    )

    const stored = await queryRows(db, sql`SELECT d.event_id, d.handler FROM outbox_deliveries d`)
    expect(queued.map(({ payload }) => payload)).toEqual(stored)
    expect([attempts, stored]).toEqual([2, [{ event_id: expect.any(Number) as unknown, handler: 'notify' }]])
  })

  async function createImage({ files }: JobServices) {
    const issue_id = await createIssue(db, {})
    const key = newFileKey('png')
    const path = join(createTemporaryFolder(), 'picture')
    await sharp({ create: { width: 1000, height: 500, channels: 3, background: 'red' } })
      .png()
      .toFile(path)
    await files.put(key, path, 'image/png')
    const [pending] = await db.transaction(async (tx) => {
      const [image] = await queryRows<{ id: number }>(
        tx,
        sql`
        INSERT INTO media (issue_id, full_key, content_type, bytes, width, height)
        VALUES (${issue_id}, ${key}, 'image/png', 1, 1000, 500) RETURNING media.id`,
      )
      await recordEvent(tx, { type: 'image.added', subject_id: image?.id ?? 0, actor_id: null })
      return tx.deliveries
    })
    return { key, event_id: pending?.event_id ?? 0, handler: 'create-smaller-images' }
  }

  const mediaKeys = () =>
    queryRows<{ full_key: string; square_key: string | null; representative_key: string | null }>(
      db,
      sql`SELECT m.full_key, m.square_key, m.representative_key FROM media m ORDER BY m.id`,
    )
  /** Each change of an image row increments the revision of its issue. */
  const revision = async () =>
    (await queryRows<{ revision: number }>(db, sql`SELECT i.public_revision AS revision FROM issues i`))[0]?.revision ?? 0
  const pending = () =>
    queryRows(
      db,
      sql`SELECT e.handler, e.requeues FROM outbox_deliveries e WHERE e.delivered_at IS NULL ORDER BY e.event_id, e.handler`,
    )
  const makeDue = () =>
    queryRows(
      db,
      sql`UPDATE outbox_deliveries e SET due_at = now() - interval '1 second' WHERE e.delivered_at IS NULL RETURNING e.event_id`,
    )

  it('is handled once if its job runs several times, even concurrently', async () => {
    const services = createServices()
    const { key, ...payload } = await createImage(services)
    const before = await revision()

    await Promise.all([deliver(payload, services, notStopping), deliver(payload, services, notStopping)])
    const [image] = await mediaKeys()
    await deliver(payload, services, notStopping)

    expect(image).toEqual({
      full_key: key,
      square_key: expect.any(String) as string,
      representative_key: expect.any(String) as string,
    })
    expect(await mediaKeys()).toEqual([image])
    expect(await revision()).toBe(before + 1)
    expect(await pending()).toEqual([])
  })

  it('is queued by dispatch-outbox, each time with a new job id, until it is done', async () => {
    const services = createServices()
    const { key: _, ...payload } = await createImage(services)

    await dispatchOutbox({}, services, notStopping)
    expect(services.queued).toEqual([])
    for (let turn = 0; turn < 2; turn++) {
      await makeDue()
      await dispatchOutbox({}, services, notStopping)
    }
    const id = `delivery-${payload.event_id}-create-smaller-images`
    expect(services.queued).toEqual([
      { payload, id: `${id}-1` },
      { payload, id: `${id}-2` },
    ])

    await deliver(payload, services, notStopping)
    await dispatchOutbox({}, services, notStopping)

    expect(services.queued.length).toBe(2)
  })

  it('stays pending if its handler fails, and is done if the subject of the event was deleted', async () => {
    const services = createServices()
    const { key, ...payload } = await createImage(services)
    const path = join(createTemporaryFolder(), 'broken')
    writeFileSync(path, 'no picture')
    await services.files.put(key, path, 'image/png')

    await expect(deliver(payload, services, notStopping)).rejects.toThrow('is damaged')
    expect(await pending()).toEqual([{ handler: 'create-smaller-images', requeues: 0 }])

    await db.execute(sql`DELETE FROM issues RETURNING issues.id`)
    await deliver(payload, services, notStopping)

    expect(await pending()).toEqual([])
  })

  it('becomes a dead letter with its last error after the last failure, and is not queued again', async () => {
    const services = createServices()
    const { key, ...payload } = await createImage(services)
    const path = join(createTemporaryFolder(), 'broken')
    writeFileSync(path, 'no picture')
    await services.files.put(key, path, 'image/png')
    await db.execute(sql`UPDATE outbox_deliveries e SET starts = ${STARTS_MAX - 2} RETURNING e.event_id`)
    const state = async () =>
      (await queryRows(db, sql`SELECT e.starts, e.last_error, e.dead_at IS NOT NULL AS is_dead FROM outbox_deliveries e`))[0]

    await expect(deliver(payload, services, notStopping)).rejects.toThrow('is damaged')
    const before = await state()
    await expect(deliver(payload, services, notStopping)).rejects.toThrow('is damaged')
    await deliver(payload, services, notStopping)
    await makeDue()
    await dispatchOutbox({}, services, notStopping)

    const last_error = expect.stringMatching(/^\w+: .*is damaged/) as string
    expect(before).toEqual({ starts: STARTS_MAX - 1, last_error, is_dead: false })
    expect(await state()).toEqual({ starts: STARTS_MAX, last_error, is_dead: true })
    expect(services.queued).toEqual([])
  })

  it('becomes a dead letter in dispatch-outbox if each attempt crashed its worker', async () => {
    const services = createServices()
    await createImage(services)
    await db.execute(sql`UPDATE outbox_deliveries e SET starts = ${STARTS_MAX} RETURNING e.event_id`)

    await makeDue()
    await dispatchOutbox({}, services, notStopping)
    await makeDue()
    await dispatchOutbox({}, services, notStopping)

    expect(services.queued).toEqual([])
    expect(await queryRows(db, sql`SELECT e.requeues, e.last_error, e.dead_at IS NULL AS alive FROM outbox_deliveries e`)).toEqual([
      { requeues: 1, last_error: null, alive: false },
    ])
  })

  it('leaves files that are deleted after a day if no row refers to them', async () => {
    const services = createServices()
    const { key: _, ...payload } = await createImage(services)
    await deliver(payload, services, notStopping)
    await createImage(services)
    await db.execute(sql`DELETE FROM media WHERE media.id = 2 RETURNING media.id`)
    const keys = async () => (await Array.fromAsync(services.files.list())).map((file) => file.key).sort()
    const all = await keys()

    await deleteOrphanedFiles({}, services, notStopping)
    expect(await keys()).toEqual(all)
    await deleteOrphanedFiles({}, { ...services, clock: () => new Date(Date.now() + 24 * 60 * 60 * 1000) }, notStopping)

    const [image] = await mediaKeys()
    expect(await keys()).toEqual(Object.values(image ?? {}).sort())
    expect(all.length).toBe(4)
  })
})
