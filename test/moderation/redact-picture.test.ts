import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { createSmallerImages } from '../../jobs/handlers/create-smaller-images.ts'
import { deleteOrphanedFiles } from '../../jobs/handlers/delete-expired.ts'
import { sql, type Transaction } from '../../src/database/database.ts'
import { findViewer } from '../../src/http/identity/viewer-queries.ts'
import { addImage, type NewImage } from '../../src/media/queries.ts'
import { storeUploadedImage } from '../../src/media/store-image.ts'
import { redactPicture, findPicture } from '../../src/moderation/redact-picture.ts'
import { type FileStore, StoreUnavailable } from '../../src/storage/file-store.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { listKeys, uploadedFile } from '../media/stored-images.ts'
import { createModerationScenario } from './scenario.ts'

const app = useApp()
const { moderator } = createModerationScenario(app)
const LEFT_HALF = { x: 0, y: 0, width: 50, height: 100 }
const never = new AbortController().signal

/** Stores a white picture with its smaller sizes. */
async function createWhiteImage(image: Pick<NewImage, 'issue_id'> & Partial<NewImage>) {
  const white = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'white' } })
    .png()
    .toBuffer()
  const stored = await storeUploadedImage(app.services.files, uploadedFile(white))
  const id = await app.db.transaction((tx) => addImage(tx, { comment_id: null, ...stored, ...image }))
  await shrink(id)
  return { id, key: stored.full_key }
}

/** Returns the last step of the job that adds the smaller sizes: their files are stored, and the row is not changed yet. */
async function prepareSmallerSizes(id: number): Promise<(tx: Transaction) => Promise<void>> {
  const delivery = { subject_id: id } as Parameters<typeof createSmallerImages>[0]
  const save = await createSmallerImages(delivery, { ...app.services, queue: { enqueue: () => Promise.resolve('') } }, never)
  if (typeof save !== 'function') throw new Error('the job has nothing to save')
  return save
}

const shrink = async (id: number) => app.db.transaction(await prepareSmallerSizes(id))

interface Row {
  readonly full_key: string
  readonly square_key: string
  readonly representative_key: string
}
const rowOf = async (id: number) =>
  (
    await queryRows<Row>(app.db, sql`SELECT m.full_key, m.square_key, m.representative_key FROM media m WHERE m.id = ${id}`)
  )[0] as Row
const keysOf = (row: Row) => [row.full_key, row.square_key, row.representative_key]
const eventsOf = (id: number) =>
  queryRows<{ actor_id: number }>(
    app.db,
    sql`SELECT v.actor_id FROM events v WHERE v.type = 'image.redacted' AND v.subject_type = 'image' AND v.subject_id = ${id}`,
  )
const statusOf = async (key: string) => (await app.as.anonymous.send('GET', `/files/${key}`)).status

async function redact(
  key: string,
  { files = app.services.files, before = async () => {} }: { files?: FileStore; before?: () => Promise<void> } = {},
) {
  const mia = await moderator()
  const viewer = await findViewer(app.db, mia.id)
  const picture = viewer && (await findPicture(app.db, key, viewer))
  if (!picture) throw new Error('there is no such picture')
  await redactPicture(
    { ...app.services, files },
    {
      picture,
      boxes: [LEFT_HALF],
      moderator_id: mia.id,
      request_id: 'r-1',
      folder: createTemporaryFolder(),
      inTransaction: async (work) => {
        await before()
        return app.db.transaction(work)
      },
    },
  )
  return mia
}

const failing = (calls: Partial<FileStore>): FileStore => ({ ...app.services.files, ...calls })
const unavailable = () => Promise.reject(new StoreUnavailable('The file store could not be reached.'))

describe('redactPicture', () => {
  it('paints over all sizes, gives them new addresses, and deletes the old files', async () => {
    const { id, key } = await createWhiteImage({ issue_id: await app.create.issue() })
    const old = await rowOf(id)

    const mia = await redact(key)

    const row = await rowOf(id)
    expect(keysOf(row).filter((one) => keysOf(old).includes(one))).toEqual([])
    for (const one of keysOf(row)) {
      const file = await app.services.files.open(one)
      const bytes = Buffer.concat((await file?.stream.toArray()) as Buffer[])
      const path = uploadedFile(bytes).path
      const { data, info } = await sharp(path).raw().toBuffer({ resolveWithObject: true })
      const redAt = (x: number) => data[x * info.channels] ?? -1
      expect([redAt(1) < 10, redAt(info.width - 2) > 245]).toEqual([true, true])
      expect(await statusOf(one)).toBe(200)
    }
    for (const one of keysOf(old)) expect([await statusOf(one), await app.services.files.size(one)]).toEqual([404, undefined])
    expect(await eventsOf(id)).toEqual([{ actor_id: mia.id }])
  })

  it('changes the ETag and the URLs of the issue and its list', async () => {
    const issue_id = await app.create.issue()
    const { key } = await createWhiteImage({ issue_id })
    const urls = [`/issues/${issue_id}`, '/issues']
    const read = (url: string, etag?: string) =>
      app.as.anonymous.send('GET', `/api/v2${url}`, etag === undefined ? {} : { headers: { 'if-none-match': etag } })
    const etags = await Promise.all(urls.map(async (url) => String((await read(url)).headers['etag'])))
    expect((await read(urls[0] ?? '', etags[0])).status).toBe(304)

    await redact(key)

    for (const [index, url] of urls.entries()) {
      const answer = await read(url, etags[index])
      expect(answer.status).toBe(200)
      expect(answer.text).not.toContain(key)
    }
  })

  it('redacts the picture of a comment, and a picture that answers a question', async () => {
    const issue_id = await app.create.issue()
    const comment_id = await app.create.comment({ on: issue_id })
    const ofComment = await createWhiteImage({ issue_id, comment_id })
    const answer = await createWhiteImage({ issue_id, is_answer: true })
    await queryRows(
      app.db,
      sql`INSERT INTO issue_answers (issue_id, question, answer, value, answer_kept_private, position)
        VALUES (${issue_id}, 'The sign?', ${answer.key}, jsonb_build_object('file', ${answer.key}::text), FALSE, 0) RETURNING issue_answers.id`,
    )

    await redact(ofComment.key)
    await redact(answer.key)

    const { text } = await app.as.anonymous.send('GET', `/api/v2/issues/${issue_id}`)
    expect(text).toContain((await rowOf(ofComment.id)).full_key)
    expect(text).toContain((await rowOf(answer.id)).full_key)
    expect([text.includes(ofComment.key), text.includes(answer.key)]).toEqual([false, false])
  })

  it.each([1, 2, 3])('changes nothing if the store fails at new file %i', async (failure) => {
    const { id, key } = await createWhiteImage({ issue_id: await app.create.issue() })
    const old = await rowOf(id)
    let calls = 0
    const put: FileStore['put'] = (...file) => (++calls === failure ? unavailable() : app.services.files.put(...file))

    await expect(redact(key, { files: failing({ put }) })).rejects.toMatchObject({ statusCode: 503 })

    expect(await rowOf(id)).toEqual(old)
    expect(await Promise.all(keysOf(old).map(statusOf))).toEqual([200, 200, 200])
    expect(await eventsOf(id)).toEqual([])
  })

  it('makes the old addresses 404 even if the old files cannot be deleted, which the sweep does later', async () => {
    const { id, key } = await createWhiteImage({ issue_id: await app.create.issue() })
    const old = await rowOf(id)

    await redact(key, { files: failing({ remove: unavailable }) })

    expect(await Promise.all(keysOf(old).map(statusOf))).toEqual([404, 404, 404])
    expect(await app.services.files.size(key)).toBeGreaterThan(0)
    const clock = () => new Date(Date.now() + 7 * 3_600_000)
    await deleteOrphanedFiles({}, { ...app.services, clock, queue: { enqueue: () => Promise.resolve('') } }, never)
    expect((await listKeys(app.services.files)).filter((one) => keysOf(old).includes(one))).toEqual([])
    expect(await Promise.all(keysOf(await rowOf(id)).map(statusOf))).toEqual([200, 200, 200])
  })

  it('rejects the second of two redactions of the same picture', async () => {
    const { id, key } = await createWhiteImage({ issue_id: await app.create.issue() })

    const second = redact(key, { before: async () => void (await redact(key)) })

    await expect(second).rejects.toMatchObject({ status: 404 })
    expect(await eventsOf(id)).toHaveLength(1)
  })

  it('is not undone by a job that was making the smaller sizes of the old picture', async () => {
    const { id, key } = await createWhiteImage({ issue_id: await app.create.issue() })
    const save = await prepareSmallerSizes(id)

    await redact(key)
    const redacted = await rowOf(id)
    await app.db.transaction(save)

    expect(await rowOf(id)).toEqual(redacted)
  })
})
