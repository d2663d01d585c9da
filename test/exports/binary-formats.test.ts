import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'

import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'

import { toColumns } from '../../src/gis/columns.ts'
import { IssueProperties } from '../../src/issues/records/schema.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { gdal, hasGdal, readWithGdal } from './writers/gdal.ts'

const app = useApp()
const columns = toColumns(IssueProperties)
const layer = { name: 'issues', title: '', geometry: 'Point', columns, licence: '', attribution: '' } as const

async function download(path: string) {
  const { statusCode, headers, rawPayload } = await app.fastify.inject({ url: path })
  expect(statusCode).toBe(200)
  const file = join(createTemporaryFolder(), path.replace(/.*\//, ''))
  writeFileSync(file, rawPayload)
  return { file, headers }
}

/** Returns the same issues as features of the GeoJSON download. */
async function listIssues() {
  const { text } = await app.as.anonymous.send('GET', '/exports/issues.geojson')
  const { features } = JSON.parse(text) as { features: { id: number; geometry: unknown; properties: Record<string, unknown> }[] }
  return features.map(({ id, geometry, properties }) => ({ id, geometry, values: columns.map(({ name }) => properties[name]) }))
}

describe('GET /exports/issues.{fgb,gpkg,parquet}', () => {
  it.each([
    ['fgb', 'application/flatgeobuf'],
    ['gpkg', 'application/geopackage+sqlite3'],
    ['parquet', 'application/vnd.apache.parquet'],
  ])('returns %s as a file with the number of rows', async (format, type) => {
    await app.create.issue({ at: GREEN })

    const { headers } = await download(`/exports/issues.${format}`)

    expect(headers).toMatchObject({ 'content-type': type, 'x-total-count': '1' })
    expect(headers['content-disposition']).toContain(`.${format}"`)
  })

  it.skipIf(!hasGdal).each(['fgb', 'gpkg'])(`returns the values of GeoJSON as %s for ${gdal}`, async (format) => {
    await app.create.issue({ summary: 'Élan', at: GREEN })
    await app.create.issue({ status: 'Closed', closed_at: '2026-02-01T10:00:00Z', at: FAR_AWAY })

    const { file } = await download(`/exports/issues.${format}`)

    expect(await readWithGdal(file, layer)).toEqual(await listIssues())
  })

  it('returns the values of GeoJSON as GeoParquet', async () => {
    await app.create.issue({ summary: 'Élan', at: GREEN })
    await app.create.issue({ status: 'Closed', closed_at: '2026-02-01T10:00:00Z', at: FAR_AWAY })

    const { file } = await download('/exports/issues.parquet')

    const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) }
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors })
    const withoutDates = (value: unknown) => (value instanceof Date ? value.toISOString().replace('.000Z', 'Z') : value)
    expect(
      rows.map((row) => ({ id: row['id'], geometry: row['geometry'], values: columns.map(({ name }) => withoutDates(row[name])) })),
    ).toEqual(await listIssues())
  })

  it.each(['fgb', 'gpkg', 'parquet'])('returns a %s without issues', async (format) => {
    const { headers } = await download(`/exports/issues.${format}`)

    expect(headers['x-total-count']).toBe('0')
  })

  it.each(['fgb', 'gpkg', 'parquet'])('returns the boundaries of places as %s', async (format) => {
    await app.create.place({ url_name: 'green', around: GREEN, size: 0.1 })

    const { headers } = await download(`/exports/places.${format}`)

    expect(headers['x-total-count']).toBe('1')
  })
})
