import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'

import { asyncBufferFromFile, parquetMetadata, parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'

import { openGeoParquet } from '../../../src/exports/writers/geoparquet.ts'
import type { Feature, Layer } from '../../../src/gis/downloads/writer.ts'
import { hasPythonPackage, python } from '../../helpers/python.ts'
import { createTemporaryFolder } from '../../helpers/temporary-folder.ts'
import { inventPoints, inventPolygons, pointLayer, polygonLayer, positionsOf, writeAll } from './invented-layers.ts'

const points = inventPoints(5000)
const polygons = inventPolygons(2000)
/** A virtual environment with pyarrow may be named in PYTHON. */
const hasPyarrow = hasPythonPackage('pyarrow')

async function write(layer: Layer, features: readonly Feature[]): Promise<string> {
  const file = join(createTemporaryFolder(), `${layer.name}.parquet`)
  await writeAll(await openGeoParquet(file, layer), features)
  return file
}

const readMetadata = (file: string) => parquetMetadata(new Uint8Array(readFileSync(file)).buffer)

/** Returns the rows as the tests invent features. The reader turns WKB into GeoJSON and timestamps into dates. */
async function read(file: string, layer: Layer) {
  const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) }
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors })
  return rows.map((row) => ({
    id: row['id'],
    geometry: row['geometry'],
    values: layer.columns.map(({ name }) => withoutDates(row[name])),
  }))
}

const withoutDates = (value: unknown) => (value instanceof Date ? value.toISOString().replace('.000Z', 'Z') : (value ?? null))

describe('openGeoParquet', () => {
  it.each([
    ['points', pointLayer, points],
    ['polygons with holes', polygonLayer, polygons],
    ['no points', pointLayer, []],
  ])('writes all values of %s', async (_, layer, features) => {
    const file = await write(layer, features)

    expect(await read(file, layer)).toEqual(features)
  })

  it('describes geometry, box and licence as GeoParquet 1.1.0', async () => {
    const file = await write(polygonLayer, polygons)

    const { key_value_metadata = [] } = readMetadata(file)

    const metadata = Object.fromEntries(key_value_metadata.map(({ key, value }) => [key, value]))
    const positions = polygons.flatMap(positionsOf)
    const [lngs, lats] = [0, 1].map((axis) => positions.map((position) => position[axis] ?? NaN)) as [number[], number[]]
    expect(metadata).toMatchObject({ licence: 'CC-BY-4.0', attribution: 'Invented by the tests', title: 'Places' })
    expect(JSON.parse(metadata['geo'] ?? '')).toEqual({
      version: '1.1.0',
      primary_column: 'geometry',
      columns: {
        geometry: {
          encoding: 'WKB',
          geometry_types: ['MultiPolygon'],
          bbox: [Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)],
          covering: { bbox: { xmin: ['bbox', 'xmin'], ymin: ['bbox', 'ymin'], xmax: ['bbox', 'xmax'], ymax: ['bbox', 'ymax'] } },
        },
      },
    })
  })

  it('starts a row group after 50,000 rows, each with its box in the statistics', async () => {
    const file = await write({ ...pointLayer, columns: [] }, inventPoints(50_002))

    const groups = readMetadata(file).row_groups

    expect(groups.map(({ num_rows }) => num_rows)).toEqual([50_000n, 2n])
    const [geometry, west] = (groups[1]?.columns ?? []).map(({ meta_data }) => meta_data)
    expect(geometry?.path_in_schema).toEqual(['geometry'])
    expect(west?.path_in_schema).toEqual(['bbox', 'xmin'])
    expect(west?.statistics?.min_value).toBeTypeOf('number')
  })

  it('starts a row group earlier if the texts are long', async () => {
    const long = 'x'.repeat(1 << 20)
    const features = points.slice(0, 40).map((point) => ({ ...point, values: point.values.with(2, long) }))

    const file = await write(pointLayer, features)

    expect(readMetadata(file).row_groups.length).toBeGreaterThan(1)
  })
})

describe.skipIf(!hasPyarrow)(`pyarrow${hasPyarrow ? '' : ' (skipped: not installed)'} reads GeoParquet`, () => {
  it('with typed columns, also where all values are null', async () => {
    const file = await write(
      pointLayer,
      points.map((point) => ({ ...point, values: point.values.map((value, i) => ([2, 3, 4, 6].includes(i) ? null : value)) })),
    )
    const script = `
import pyarrow.parquet, sys
table = pyarrow.parquet.read_table(sys.argv[1])
print(table.num_rows, *[f"{f.name}:{f.type}{'' if f.nullable else '!'}" for f in table.schema], sep="\\n")`

    const lines = execFileSync(python, ['-c', script, file], { encoding: 'utf8' }).trim().split('\n')

    expect(lines).toEqual([
      '5000',
      'id:int32!',
      'title:string!',
      'note:string',
      'score:int32',
      'area_m2:double',
      'created_at:timestamp[ms, tz=UTC]!',
      'closed_at:timestamp[ms, tz=UTC]',
      'geometry:binary!',
      'bbox:struct<xmin: double not null, ymin: double not null, xmax: double not null, ymax: double not null>!',
    ])
  })
})
