import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'

const run = promisify(execFile)
const isHere = spawnSync('ogrinfo', ['--version']).status === 0

interface Layer {
  readonly featureCount: number
  readonly geometryFields: readonly { readonly type: string }[]
  readonly fields: readonly { readonly name: string; readonly type: string }[]
  readonly features: readonly { readonly geometry: { readonly coordinates: unknown }; readonly properties: object }[]
}

describe.skipIf(!isHere)(`GDAL${isHere ? '' : ' (skipped: ogrinfo is not installed)'}`, () => {
  const app = useApp()

  async function readWithGdal(path: string, accept: string, name: string, ...options: string[]) {
    const { text } = await app.as.anonymous.get(path, { accept })
    const file = join(createTemporaryFolder(), name)
    await writeFile(file, text)
    const { stdout } = await run('ogr2ogr', [...options, '-f', 'GeoJSON', '/vsistdout/', file])
    const { stdout: info } = await run('ogrinfo', ['-so', '-al', ...options, file])
    const types = [...info.matchAll(/^(\w+): (\w+)(?:\(\w+\))? \(/gm)].map(([, column, type]) => [column, type])
    return { ...(JSON.parse(stdout) as Layer), types: Object.fromEntries(types) as object, info }
  }

  const createIssues = async () => {
    const type = await app.create.requestType({ title: 'Pothole' })
    await app.create.issue({ summary: '=Hole, "deep" & wide', description: 'Two\nlines', at: GREEN, request_type: type })
    await app.create.issue({ summary: 'Élan', at: FAR_AWAY })
  }
  const OLDEST_FIRST = '/issues?sort_direction=ASC'
  const positions = [GREEN, FAR_AWAY].map(({ lng, lat }) => [lng, lat])
  const pointsOf = ({ features }: Layer) => features.map(({ geometry }) => geometry.coordinates)
  const timestamps = { created_at: 'DateTime', updated_at: 'DateTime', acknowledged_at: 'String' }
  const columns = {
    status: 'String',
    summary: 'String',
    rating_count: 'Integer',
    request_type_id: 'Integer',
    place_url_name: 'String',
  }

  it('reads the GeoJSON of a list with typed columns', async () => {
    await createIssues()

    const layer = await readWithGdal(OLDEST_FIRST, 'application/geo+json', 'issues.geojson')

    expect(pointsOf(layer)).toEqual(positions)
    expect(layer.info).toContain('Feature Count: 2')
    expect(layer.types).toMatchObject({ ...columns, ...timestamps })
  })

  it('reads the CSV of a list with typed columns', async () => {
    await createIssues()
    const options = [
      '-oo',
      'X_POSSIBLE_NAMES=lng',
      '-oo',
      'Y_POSSIBLE_NAMES=lat',
      '-oo',
      'AUTODETECT_TYPE=YES',
      '-oo',
      'EMPTY_STRING_AS_NULL=YES',
    ]

    const layer = await readWithGdal(OLDEST_FIRST, 'text/csv', 'issues.csv', ...options)

    expect(pointsOf(layer)).toEqual(positions)
    expect(layer.info).toContain('Feature Count: 2')
    expect(layer.types).toMatchObject({ ...columns, ...timestamps, lng: 'Real', lat: 'Real' })
    expect(layer.features.map(({ properties }) => properties)).toMatchObject([
      { summary: `'=Hole, "deep" & wide`, description: 'Two\nlines' },
      { summary: 'Élan', description: null },
    ])
  })

  it('reads the RSS of a list', async () => {
    await createIssues()

    const layer = await readWithGdal(OLDEST_FIRST, 'application/rss+xml', 'issues.rss')

    expect(pointsOf(layer)).toEqual(positions)
    expect(layer.types).toMatchObject({ title: 'String', link: 'String', pubDate: 'DateTime' })
    expect(layer.features[0]?.properties).toMatchObject({ title: '=Hole, "deep" & wide' })
  })

  it('reads the boundaries of places', async () => {
    await app.create.place({ url_name: 'green', around: GREEN, size: 1 })

    const layer = await readWithGdal(`/places?lat=${GREEN.lat}&lng=${GREEN.lng}`, 'application/geo+json', 'places.geojson')

    expect(layer.info).toContain('Geometry: Multi Polygon')
    expect(layer.types).toMatchObject({ url_name: 'String', area_m2: 'Real', contains: 'Integer' })
    expect(layer.features[0]?.properties).toMatchObject({ url_name: 'green', contains: true })
  })
})
