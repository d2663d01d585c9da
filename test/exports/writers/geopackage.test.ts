import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { describe, expect, it, onTestFinished } from 'vitest'

import { openGeoPackage } from '../../../src/exports/writers/geopackage.ts'
import type { Feature, Layer } from '../../../src/gis/downloads/writer.ts'
import { createTemporaryFolder } from '../../helpers/temporary-folder.ts'
import { describeWithGdal, featuresIn, gdal, hasGdal, readWithGdal } from './gdal.ts'
import { inventPoints, inventPolygons, pointLayer, polygonLayer, writeAll } from './invented-layers.ts'

const points = inventPoints(5000)
const polygons = inventPolygons(2500)

async function write(layer: Layer, features: readonly Feature[]): Promise<string> {
  const file = join(createTemporaryFolder(), `${layer.name}.gpkg`)
  await writeAll(await openGeoPackage(file, layer), features)
  return file
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => database.close())
  return database
}

const rows = (database: DatabaseSync, statement: string) =>
  database
    .prepare(statement)
    .all()
    .map((row) => ({ ...row }))

describe('openGeoPackage', () => {
  it.each([
    ['points', pointLayer, points],
    ['polygons', polygonLayer, polygons],
    ['no points', pointLayer, []],
  ])('writes a sound database of %s and nothing next to it', async (_, layer, features) => {
    const file = await write(layer, features)

    const database = open(file)
    expect(readdirSync(join(file, '..'))).toEqual([`${layer.name}.gpkg`])
    expect(rows(database, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(rows(database, 'PRAGMA foreign_key_check')).toEqual([])
    expect(rows(database, `SELECT rtreecheck('rtree_${layer.name}_geom') AS result`)).toEqual([{ result: 'ok' }])
    expect(rows(database, `SELECT count(*) AS count FROM rtree_${layer.name}_geom`)).toEqual([{ count: features.length }])
    expect(rows(database, 'PRAGMA application_id')).toEqual([{ application_id: 0x47504b47 }])
    expect(rows(database, 'PRAGMA user_version')).toEqual([{ user_version: 10_300 }])
  })

  it('registers the layer with its box, licence, descriptions and index', async () => {
    const file = await write(pointLayer, points)

    const database = open(file)
    expect(rows(database, 'SELECT * FROM gpkg_contents')).toEqual([
      {
        table_name: 'issues',
        data_type: 'features',
        identifier: 'Issues',
        description: 'Invented by the tests. CC-BY-4.0',
        last_change: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        min_x: -180,
        min_y: -90,
        max_x: 180,
        max_y: 90,
        srs_id: 4326,
      },
    ])
    expect(rows(database, "SELECT * FROM gpkg_extensions WHERE table_name = 'issues'")).toEqual([
      {
        table_name: 'issues',
        column_name: 'geom',
        extension_name: 'gpkg_rtree_index',
        definition: 'http://www.geopackage.org/spec130/#extension_rtree',
        scope: 'write-only',
      },
    ])
    expect(rows(database, 'SELECT column_name, description FROM gpkg_data_columns')).toEqual([
      { column_name: 'title', description: 'The title of the report.' },
    ])
    expect(rows(database, 'SELECT metadata FROM gpkg_metadata')).toEqual([
      { metadata: '{"licence":"CC-BY-4.0","attribution":"Invented by the tests"}' },
    ])
  })

  it('numbers the rows without gaps, next to their ids', async () => {
    const file = await write(pointLayer, [points[6], points[2], points[9]] as Feature[])

    const database = open(file)
    const numbered = [
      { fid: 1, id: 7 },
      { fid: 2, id: 3 },
      { fid: 3, id: 10 },
    ]
    expect(rows(database, 'SELECT fid, id FROM issues ORDER BY fid')).toEqual(numbered)
    expect(rows(database, 'SELECT id FROM rtree_issues_geom ORDER BY id')).toEqual(numbered.map(({ fid }) => ({ id: fid })))
  })

  it('stores timestamps with milliseconds, as the standard demands', async () => {
    const file = await write(pointLayer, points.slice(0, 1))

    expect(rows(open(file), 'SELECT fid, id, created_at FROM issues')).toEqual([
      { fid: 1, id: 1, created_at: '2020-01-01T01:00:00.000Z' },
    ])
  })
})

describe.skipIf(!hasGdal)(`${gdal} reads GeoPackage`, () => {
  it.each([
    ['points', pointLayer, points],
    ['polygons with holes', polygonLayer, polygons],
    ['no points', pointLayer, []],
  ])('with all values of %s', async (_, layer, features) => {
    const file = await write(layer, features)

    expect(await readWithGdal(file, layer)).toEqual(features)
  })

  it.each([[[0, 0, 20, 20]], [[-180, -90, -170, 90]], [[170, -90, 180, -60]]] as const)(
    'and finds the features of the box %j by the index',
    async (box) => {
      const files = [await write(pointLayer, points), await write(polygonLayer, polygons)] as const
      const filter = ['-spat', ...box.map(String)]

      expect(await readWithGdal(files[0], pointLayer, ...filter)).toEqual(featuresIn(points, box))
      expect((await readWithGdal(files[1], polygonLayer, ...filter)).map(({ id }) => id)).toEqual(
        featuresIn(polygons, box).map(({ id }) => id),
      )
    },
  )

  it('with typed columns, also where all values are null', async () => {
    const file = await write(
      pointLayer,
      points
        .slice(0, 3)
        .map((point) => ({ ...point, values: point.values.map((value, i) => ([2, 3, 4, 6].includes(i) ? null : value)) })),
    )

    const text = await describeWithGdal(file, pointLayer)

    expect(text.split('\n').filter((line) => /^\w+: \w+ \(/.test(line))).toEqual([
      'id: Integer64 (0.0) NOT NULL',
      'title: String (0.0) NOT NULL',
      'note: String (0.0)',
      'score: Integer64 (0.0)',
      'area_m2: Real (0.0)',
      'created_at: DateTime (0.0) NOT NULL',
      'closed_at: DateTime (0.0)',
    ])
  })

  it('keeps the index current when a program edits the file', async () => {
    const file = await write(pointLayer, points.slice(0, 3))

    execFileSync('ogrinfo', [file, '-sql', 'DELETE FROM issues WHERE fid = 1'])
    execFileSync('ogrinfo', [file, '-sql', 'UPDATE issues SET geom = (SELECT geom FROM issues WHERE fid = 3) WHERE fid = 2'])

    expect(rows(open(file), 'SELECT * FROM rtree_issues_geom ORDER BY id')).toEqual([
      { id: 2, minx: 0, maxx: 0, miny: 0, maxy: 0 },
      { id: 3, minx: 0, maxx: 0, miny: 0, maxy: 0 },
    ])
  })
})
