import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { UPLOAD_BYTES_MAX } from '../../src/http/request/upload.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { imagesWithMetadata, pngBomb } from '../helpers/images.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const planted = await imagesWithMetadata()
const [damaged] = planted
const fields = { lat: String(GREEN.lat), lng: String(GREEN.lng), address: '250 Church St', request_type_id: 'other' }
const jpeg = () =>
  sharp({ create: { width: 30, height: 20, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()

function form(more: Readonly<Record<string, string | Buffer>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries({ ...fields, 'answers[summary]': 'Bench', ...more })) {
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, new Blob([new Uint8Array(value)]), 'street.jpg')
  }
  return data
}
const send = (person: TestUser, body: FormData) => app.as.user(person).send('POST', '/api/v2/issues', { body })
const media = () =>
  queryRows<{ full_key: string }>(
    app.db,
    sql`
    SELECT m.issue_id, m.full_key, m.content_type, m.width, m.height, m.is_answer, m.answer_kept_private FROM media m ORDER BY m.id`,
  )

describe('POST /issues with a picture', () => {
  it('returns 201 after storing the picture and queues the smaller sizes', async () => {
    const answer = await send(await app.create.user(), form({ 'answers[issue_image]': await jpeg() }))

    const [image] = await media()
    const url = `http://fixpoint.test/files/${image?.full_key}`
    expect(answer).toMatchObject({
      status: 201,
      body: { summary: 'Bench', media: { image_full: url, image_square_100x100: url, representative_image_url: url } },
    })
    expect(image).toMatchObject({ issue_id: 1, content_type: 'image/jpeg', width: 30, height: 20, is_answer: false })
    expect(await app.services.files.size(image?.full_key ?? '')).toBeGreaterThan(0)
    expect((await app.as.anonymous.send('GET', url.slice('http://fixpoint.test'.length))).status).toBe(200)
    expect(
      await queryRows(app.db, sql`SELECT e.handler FROM outbox_deliveries e WHERE e.delivered_at IS NULL ORDER BY e.handler`),
    ).toEqual([{ handler: 'create-smaller-images' }, { handler: 'notify' }])
  })

  it('takes up to five pictures, as one field or a list, and lists them in their order', async () => {
    const ada = await app.create.user()
    const pictures = (name: string, count: number) => {
      const data = form({})
      for (let n = 1; n <= count; n++) data.append(name, new Blob([new Uint8Array(drawn[n - 1] ?? [])]), 'street.jpg')
      return data
    }
    const drawn = await Promise.all(
      [10, 20, 30, 40, 50, 60].map((width) =>
        sharp({ create: { width, height: 20, channels: 3, background: 'teal' } })
          .jpeg()
          .toBuffer(),
      ),
    )

    const repeated = await send(ada, pictures('answers[issue_image]', 5))
    const listed = await send(ada, pictures('answers[issue_image][]', 2))
    const tooMany = [await send(ada, pictures('answers[issue_image]', 6)), await send(ada, pictures('answers[issue_image]', 12))]

    const stored = await queryRows<{ issue_id: number; width: number; full_key: string }>(
      app.db,
      sql`SELECT m.issue_id, m.width, m.full_key FROM media m WHERE NOT m.is_answer ORDER BY m.id`,
    )
    expect(stored.map(({ issue_id, width }) => [issue_id, width])).toEqual([
      ...[10, 20, 30, 40, 50].map((width) => [1, width]),
      [2, 10],
      [2, 20],
    ])
    const images = stored.map(({ full_key }) => `http://fixpoint.test/files/${full_key}`)
    expect(repeated).toMatchObject({ status: 201, body: { media: { image_full: images[0], images: images.slice(0, 5) } } })
    expect(listed).toMatchObject({ status: 201, body: { media: { image_full: images[5], images: images.slice(5) } } })
    for (const refused of tooMany)
      expect(refused).toMatchObject({
        status: 422,
        body: { errors: { issue_image: ['must be at most 5 pictures: choose them again'] } },
      })
    expect((await app.as.anonymous.get('/issues?details=true')).body).toMatchObject({
      issues: [{ media: { images: images.slice(5) } }, { media: { images: images.slice(0, 5) } }],
    })
  })

  it('returns 422 if one of several pictures is damaged, and for several files of another question', async () => {
    const ada = await app.create.user()
    const id = await app.create.requestType({ questions: [{ question: 'The sign?', question_type: 'file' }] })
    const [sign] = await queryRows<{ id: number }>(
      app.db,
      sql`SELECT q.id FROM request_type_questions q WHERE q.request_type_id = ${id}`,
    )
    const damagedOne = form({ 'answers[issue_image]': await jpeg() })
    damagedOne.append('answers[issue_image]', new Blob(['no picture']), 'street.jpg')
    const twoSigns = form({ request_type_id: String(id), [`answers[${sign?.id}]`]: await jpeg() })
    twoSigns.append(`answers[${sign?.id}]`, new Blob([new Uint8Array(await jpeg())]), 'street.jpg')

    expect(await send(ada, damagedOne)).toMatchObject({
      status: 422,
      body: { errors: { issue_image: ['“street.jpg”: must be a PNG, JPEG, GIF, WebP or HEIC picture'] } },
    })
    expect(await send(ada, twoSigns)).toMatchObject({
      status: 422,
      body: { errors: { [sign?.id ?? 0]: ['must be a file, sent as multipart/form-data'] } },
    })
    expect(await media()).toEqual([])
  })

  it.each(planted)('stores only the pixels of $name', async ({ bytes, markers }) => {
    await send(await app.create.user(), form({ 'answers[issue_image]': bytes }))

    const [image] = await media()
    const file = await app.services.files.open(image?.full_key ?? '')
    const stored = Buffer.concat((await file?.stream.toArray()) as Buffer[]).toString('latin1')
    expect(markers.filter((plant) => stored.includes(plant))).toEqual([])
  })

  it('returns 422 for a file whose content is no picture, after all other errors, and writes nothing', async () => {
    const ada = await app.create.user()
    const text = 'must be a PNG, JPEG, GIF, WebP or HEIC picture'

    expect(await send(ada, form({ 'answers[issue_image]': Buffer.from('<svg/>'), address: '' }))).toEqual(
      expect.objectContaining({ status: 422, body: { errors: { address: ['must not be blank'] } } }),
    )
    expect(await send(ada, form({ 'answers[issue_image]': Buffer.from('<svg/>') }))).toMatchObject({
      status: 422,
      body: { errors: { issue_image: [text] } },
    })
    expect(await send(ada, form({ 'answers[issue_image]': pngBomb(60_000, 60_000) }))).toMatchObject({
      status: 422,
      body: { errors: { issue_image: ['must not have more than 64 million pixels, all frames together'] } },
    })
    expect(await send(ada, form({ 'answers[issue_image]': damaged?.bytes.subarray(0, 2_000) ?? '' }))).toMatchObject({
      status: 422,
      body: { errors: { issue_image: [expect.any(String)] } },
    })
    expect(await send(ada, form({ 'answers[summary]': await jpeg() }))).toMatchObject({
      status: 422,
      body: { errors: { summary: ['must be text'] } },
    })
    expect(await queryRows(app.db, sql`SELECT i.id FROM issues i`)).toEqual([])
  })

  it('returns the errors of all damaged pictures, and stores no file', async () => {
    const ada = await app.create.user()
    const questions = ['Left?', 'Right?', 'Middle?'].map((question) => ({ question, question_type: 'file' }))
    const id = await app.create.requestType({ questions })
    const keys = await queryRows<{ id: number }>(
      app.db,
      sql`
      SELECT q.id FROM request_type_questions q WHERE q.request_type_id = ${id} ORDER BY q.position`,
    )
    const [left, right, middle] = keys.map((key) => key.id)
    const half = damaged?.bytes.subarray(0, 2_000) ?? ''
    const files = { [`answers[${left}]`]: half, [`answers[${right}]`]: half, [`answers[${middle}]`]: await jpeg() }
    const before = await Array.fromAsync(app.services.files.list())

    expect(await send(ada, form({ request_type_id: String(id), ...files }))).toMatchObject({
      status: 422,
      body: {
        errors: { [left ?? '']: [expect.any(String)], [right ?? '']: [expect.any(String)] },
      },
    })
    expect(await Array.fromAsync(app.services.files.list())).toEqual(before)
  })

  it('returns the first error of a question with several pictures, and decodes no more of them', async () => {
    const ada = await app.create.user()
    const slow = await readFile(new URL('../images/grid-of-200.heic', import.meta.url))
    const pictures = form({})
    for (const name of ['1', '2', '3', '4', '5']) pictures.append('answers[issue_image][]', new Blob([new Uint8Array(slow)]), name)
    const before = process.cpuUsage()

    const answer = await send(ada, pictures)

    expect(answer).toMatchObject({ status: 422, body: { errors: { issue_image: [expect.any(String)] } } })
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_500)
  })

  it('returns 413 for a picture over 20 MB', async () => {
    const answer = await send(await app.create.user(), form({ 'answers[issue_image]': Buffer.alloc(UPLOAD_BYTES_MAX + 1) }))

    expect(answer).toMatchObject({ status: 413, body: { message: expect.any(String), documentation_url: expect.any(String) } })
  })

  it('shows files of other questions as answers, and private ones only to staff of the organisation', async () => {
    const ada = await app.create.user()
    const organization = await app.create.organization()
    const employee = await app.create.user({ memberOf: [{ organization }] })
    const other = await app.create.user({ memberOf: [{ organization: await app.create.organization() }] })
    const id = await app.create.requestType({
      organization,
      questions: [
        { question: 'The number plate?', question_type: 'file', answer_kept_private: true },
        { question: 'The sign?', question_type: 'file', response_required: true },
        { built_in: 'issue_image', question: 'All of it?', question_type: 'file' },
      ],
    })
    const [plate, sign] = await queryRows<{ id: number }>(
      app.db,
      sql`
      SELECT q.id FROM request_type_questions q WHERE q.request_type_id = ${id} ORDER BY q.position`,
    )
    const image = await jpeg()
    const of = (question: { id: number } | undefined) => `answers[${question?.id ?? 0}]`

    expect(await send(ada, form({ request_type_id: String(id), [of(plate)]: image }))).toMatchObject({
      status: 422,
      body: { errors: { [sign?.id ?? 0]: ['must not be blank'] } },
    })
    const answer = await send(ada, form({ request_type_id: String(id), [of(plate)]: image, [of(sign)]: image }))

    const [privately, publicly] = await media()
    expect(await media()).toMatchObject([
      { is_answer: true, answer_kept_private: true },
      { is_answer: true, answer_kept_private: false },
    ])
    const shown = { question: 'The sign?', answer: `http://fixpoint.test/files/${publicly?.full_key}` }
    expect(answer.body).toMatchObject({ media: { image_full: null } })
    for (const client of [app.as.anonymous, app.as.user(ada), app.as.user(other)]) {
      expect((await client.get('/issues/1')).body).toMatchObject({ questions: [shown] })
    }
    expect((await app.as.user(employee).get('/issues/1')).body).toMatchObject({
      questions: [{ question: 'The number plate?', answer: `http://fixpoint.test/files/${privately?.full_key}` }, shown],
    })
  })

  it('keeps the picture private if its question is private', async () => {
    const id = await app.create.requestType({
      questions: [{ built_in: 'issue_image', question: 'Show it?', question_type: 'file', answer_kept_private: true }],
    })

    const answer = await send(await app.create.user(), form({ request_type_id: String(id), 'answers[issue_image]': await jpeg() }))

    expect(answer.body).toMatchObject({ media: { image_full: null } })
    expect((await app.as.anonymous.get('/issues/1')).body).toMatchObject({ questions: [] })
    expect(await media()).toMatchObject([{ answer_kept_private: true }])
  })
})
