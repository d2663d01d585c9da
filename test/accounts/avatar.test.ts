import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { deleteOrphanedFiles } from '../../jobs/handlers/delete-expired.ts'
import { sql } from '../../src/database/database.ts'
import { UPLOAD_BYTES_MAX } from '../../src/http/request/upload.ts'
import { startBucket } from '../helpers/servers/bucket.ts'
import type { TestUser } from '../helpers/factories.ts'
import { pngBomb } from '../helpers/images.ts'
import { useApp } from '../helpers/use-app.ts'
import { listKeys, redImage, shrinkAll, uploadedFile } from '../media/stored-images.ts'
import { appOn, bearer } from '../http/app-on.ts'
import { queryRows } from '../helpers/query-rows.ts'

const registration = {
  name: 'Ada Park',
  email: 'ada@example.org',
  password: 'correct horse',
  password_confirmation: 'correct horse',
  accept_terms: 'true',
}
const ICON = 'http://fixpoint.test/files/icons/avatar.svg'

function form(fields: Readonly<Record<string, string | Buffer>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    data.append(name, typeof value === 'string' ? value : new Blob([new Uint8Array(value)]))
  }
  return data
}

describe('an avatar', () => {
  const app = useApp()

  async function startApp(env?: Record<string, string>) {
    for (const key of await listKeys(app.services.files)) await app.services.files.remove(key)
    const on =
      env === undefined ? { fastify: app.fastify, services: app.services, anonymous: app.as.anonymous } : await appOn(app.db, env)
    const change = (person: TestUser, body: unknown) =>
      on.anonymous.send('PUT', '/api/v2/profile', { body, headers: bearer(person.token) })
    const avatarOf = (answer: { body: unknown }) => (answer.body as { avatar: { full: string; square_100x100: string } }).avatar
    const imageAt = async (url: string) => {
      const { rawPayload } = await on.fastify.inject({ url: new URL(url).pathname })
      return sharp(uploadedFile(rawPayload).path)
    }
    const sizeOf = async (url: string) => {
      const { width, height, format } = await (await imageAt(url)).metadata()
      return { width, height, format }
    }
    return {
      ...on,
      db: app.db,
      change,
      avatarOf,
      imageAt,
      sizeOf,
      register: (body: unknown) => on.anonymous.send('POST', '/api/v2/users', { body }),
    }
  }

  it('is stored by the registration and later cropped to a square of 100 pixels', async () => {
    const on = await startApp()

    const answer = await on.register(form({ ...registration, uploaded_data: await redImage(300, 200).toBuffer() }))

    const { full, square_100x100 } = on.avatarOf(answer)
    expect(answer.status).toBe(201)
    expect(full).toMatch(/^http:\/\/fixpoint\.test\/files\/pictures\/[0-9a-f]{2}\/[0-9a-f]{40}\.png$/)
    expect(square_100x100).toBe(full)
    expect(await on.sizeOf(full)).toEqual({ width: 300, height: 200, format: 'png' })

    await shrinkAll({ db: app.db, services: on.services })
    const later = on.avatarOf(await on.anonymous.get(`/users/${(answer.body as { id: number }).id}`))

    expect(later.full).toBe(full)
    expect(await on.sizeOf(later.square_100x100)).toEqual({ width: 100, height: 100, format: 'jpeg' })
  })

  it('is a default icon for a user without an avatar, and may be blank', async () => {
    const on = await startApp()

    expect(on.avatarOf(await on.register(form({ ...registration, uploaded_data: '' })))).toEqual({
      full: ICON,
      square_100x100: ICON,
    })
    expect(
      on.avatarOf(await on.register({ ...registration, email: 'b@example.org', accept_terms: true, uploaded_data: null })),
    ).toEqual({
      full: ICON,
      square_100x100: ICON,
    })
    expect(await listKeys(on.services.files)).toEqual([])
  })

  it('is replaced, removed, unchanged if the field is missing, and shown in every summary of the user', async () => {
    const on = await startApp()
    const ada = await app.create.user()
    const issue = await app.create.issue({ reporter: ada })

    const first = on.avatarOf(await on.change(ada, form({ uploaded_data: await redImage().toBuffer() })))
    await shrinkAll({ db: app.db, services: on.services })
    const unchanged = on.avatarOf(await on.change(ada, { name: 'Ada Lovelace' }))
    const second = on.avatarOf(await on.change(ada, form({ uploaded_data: await redImage().jpeg().toBuffer() })))
    const { reporter } = (await on.anonymous.get(`/issues/${issue}`)).body as { reporter: { avatar: object } }
    const blank = on.avatarOf(await on.change(ada, form({ uploaded_data: '' })))
    await on.change(ada, form({ uploaded_data: await redImage().toBuffer() }))
    const removed = on.avatarOf(await on.change(ada, { uploaded_data: null }))

    expect(unchanged).toEqual({ full: first.full, square_100x100: expect.stringMatching(/\.jpg$/) as string })
    expect(second.full).not.toBe(first.full)
    expect(second.square_100x100).toBe(second.full)
    expect(reporter.avatar).toEqual(second)
    expect([blank, removed]).toEqual(Array(2).fill({ full: ICON, square_100x100: ICON }))
  })

  it('leaves only the replaced file to the sweep for orphans', async () => {
    const on = await startApp()
    const ada = await app.create.user()
    const tomorrow = {
      ...on.services,
      queue: { enqueue: () => Promise.resolve('') },
      clock: () => new Date(Date.now() + 86_400_000),
    }

    await on.change(ada, form({ uploaded_data: await redImage().toBuffer() }))
    await shrinkAll({ db: app.db, services: on.services })
    const { full } = on.avatarOf(await on.change(ada, form({ uploaded_data: await redImage().toBuffer() })))
    await shrinkAll({ db: app.db, services: on.services })
    expect((await listKeys(on.services.files)).length).toBe(4)
    await deleteOrphanedFiles({}, tomorrow, new AbortController().signal)

    const [named] = await queryRows<{ full: string; square: string }>(
      app.db,
      sql`SELECT u.avatar_full AS full, u.avatar_square AS square FROM users u WHERE u.id = ${ada.id}`,
    )
    expect(await listKeys(on.services.files)).toEqual([named?.full, named?.square].sort())
    expect(full).toContain(named?.full)
    await on.change(ada, { uploaded_data: null })
    await deleteOrphanedFiles({}, tomorrow, new AbortController().signal)
    expect(await listKeys(on.services.files)).toEqual([])
  })

  it('has the square of the last of several concurrent changes', async () => {
    const on = await startApp()
    const ada = await app.create.user()
    await on.change(ada, form({ uploaded_data: await redImage().toBuffer() }))
    const blue = sharp({ create: { width: 90, height: 90, channels: 3, background: 'blue' } }).png()
    await on.change(ada, form({ uploaded_data: await blue.toBuffer() }))

    await shrinkAll({ db: app.db, services: on.services })

    const { square_100x100 } = on.avatarOf(await on.anonymous.get(`/users/${ada.id}`))
    const { dominant } = await (await on.imageAt(square_100x100)).stats()
    expect(dominant.b).toBeGreaterThan(200)
  })

  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'must be a PNG, JPEG, GIF, WebP or HEIC picture'],
    ['an empty file', Buffer.alloc(0), 'must be a PNG, JPEG, GIF, WebP or HEIC picture'],
    ['a bomb', pngBomb(60_000, 60_000), 'must not have more than 64 million pixels, all frames together'],
  ])('returns 422 for %s at both operations, and changes nothing', async (_name, bytes, text) => {
    const on = await startApp()
    const ada = await app.create.user({ name: 'Ada Park' })
    const file = new File([new Uint8Array(bytes)], 'me.png', { type: 'image/png' })
    const body = (fields: Record<string, string>) => {
      const data = form(fields)
      data.append('uploaded_data', file)
      return data
    }

    const answers = [await on.register(body(registration)), await on.change(ada, body({ name: 'Another' }))]

    for (const answer of answers) expect([answer.status, answer.body]).toEqual([422, { errors: { uploaded_data: [text] } }])
    expect(await queryRows(app.db, sql`SELECT u.name, u.avatar_full FROM users u`)).toEqual([
      { name: 'Ada Park', avatar_full: null },
    ])
    expect(await listKeys(on.services.files)).toEqual([])
  })

  it('returns 422 for text or a list, and 413 for more than 20 MB', async () => {
    const on = await startApp()
    const ada = await app.create.user()
    const allowed = 'must be a PNG, JPEG, GIF, WebP or HEIC picture of at most 20 MB, sent as multipart/form-data'

    const asText = await on.change(ada, { uploaded_data: 'http://example.org/me.png' })
    const asList = await on.register({ ...registration, accept_terms: true, uploaded_data: [] })
    const large = await on.change(ada, form({ uploaded_data: Buffer.alloc(UPLOAD_BYTES_MAX + 1) }))

    expect([asText.status, asText.body]).toEqual([422, { errors: { uploaded_data: [allowed] } }])
    expect([asList.status, Object.keys((asList.body as { errors: object }).errors)]).toEqual([422, ['uploaded_data']])
    expect(large.status).toBe(413)
  })

  it('requires a login', async () => {
    const on = await startApp()

    const { status, body } = await on.anonymous.send('PUT', '/api/v2/profile', {
      body: form({ uploaded_data: await redImage().toBuffer() }),
    })

    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([422, ['login']])
    expect(await listKeys(on.services.files)).toEqual([])
  })

  it('leaves the file to the sweep for orphans and creates no account if another field is invalid', async () => {
    const on = await startApp()
    const ada = await app.create.user()
    const body = { ...registration, email: ada.email, place_url_name: 'nowhere', uploaded_data: await redImage().toBuffer() }

    const answer = await on.register(form(body))
    await deleteOrphanedFiles(
      {},
      { ...on.services, queue: { enqueue: () => Promise.resolve('') }, clock: () => new Date(Date.now() + 86_400_000) },
      new AbortController().signal,
    )

    expect(answer.status).toBe(422)
    expect(await queryRows(app.db, sql`SELECT u.id FROM users u`)).toEqual([{ id: ada.id }])
    expect(await listKeys(on.services.files)).toEqual([])
  })

  it('returns 503 and changes nothing if the store rejects the file', async () => {
    const s3 = await startBucket()
    const on = await startApp({ S3_URL: s3.url })
    const ada = await app.create.user({ name: 'Ada Park' })
    s3.failWith((_request, response) => void response.writeHead(500).end())
    const uploaded_data = await redImage().toBuffer()

    const answers = [
      await on.register(form({ ...registration, uploaded_data })),
      await on.change(ada, form({ name: 'Another', uploaded_data })),
    ]

    for (const { status, headers } of answers) expect([status, headers['retry-after']]).toEqual([503, '5'])
    expect(await queryRows(app.db, sql`SELECT u.name, u.avatar_full FROM users u`)).toEqual([
      { name: 'Ada Park', avatar_full: null },
    ])
  })
})
