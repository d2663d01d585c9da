import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { imagesWithMetadata } from '../helpers/images.ts'
import { useApp } from '../helpers/use-app.ts'
import { listKeys, shrinkAll } from './stored-images.ts'
import { queryRows } from '../helpers/query-rows.ts'

const corpus = await imagesWithMetadata()

describe('metadata of uploaded pictures', () => {
  const app = useApp()

  it.each(corpus)('is in no stored byte of any size, for avatars and reports: $name', async ({ bytes, markers }) => {
    const ada = await app.create.user()
    const { files } = app.services
    for (const key of await listKeys(files)) await files.remove(key)
    const form = (fields: Readonly<Record<string, string>>, file: string) => {
      const data = new FormData()
      for (const [name, value] of Object.entries(fields)) data.append(name, value)
      data.append(file, new Blob([new Uint8Array(bytes)]), 'PLANT-filename.jpg')
      return data
    }
    const point = { lat: String(GREEN.lat), lng: String(GREEN.lng), address: '250 Church St', request_type_id: 'other' }

    const answers = [
      await app.as.user(ada).send('PUT', '/api/v2/profile', { body: form({}, 'uploaded_data') }),
      await app.as.user(ada).send('POST', '/api/v2/issues', {
        body: form({ ...point, 'answers[summary]': 'A broken bench' }, 'answers[issue_image]'),
      }),
    ]
    await shrinkAll(app)

    const keys = await listKeys(files)
    const stored = await Promise.all(
      keys.map(async (key) => {
        const file = await files.open(key)
        return file ? (await buffer(file.stream)).toString('latin1') : ''
      }),
    )
    const rows = JSON.stringify([
      await queryRows(app.db, sql`SELECT m.* FROM media m`),
      await queryRows(app.db, sql`SELECT v.payload FROM events v`),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 201])
    // The avatar has two sizes, the image of the report three.
    expect([keys.length, Math.min(...stored.map(({ length }) => length)) > 50]).toEqual([5, true])
    expect(markers.length).toBeGreaterThan(4)
    for (const text of [...stored, rows]) expect(['PLANT', ...markers].filter((plant) => text.includes(plant))).toEqual([])
  })
})
