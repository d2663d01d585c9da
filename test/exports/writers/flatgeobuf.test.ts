import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { openFlatGeobuf } from '../../../src/exports/writers/flatgeobuf.ts'
import type { Feature, Layer } from '../../../src/gis/downloads/writer.ts'
import { createTemporaryFolder } from '../../helpers/temporary-folder.ts'
import { describeWithGdal, featuresIn, gdal, hasGdal, readWithGdal } from './gdal.ts'
import { inventPoints, inventPolygons, pointLayer, polygonLayer, writeAll } from './invented-layers.ts'

const points = inventPoints(5000)
const polygons = inventPolygons(2500)

async function write(layer: Layer, features: readonly Feature[]): Promise<string> {
  const file = join(createTemporaryFolder(), `${layer.name}.fgb`)
  await writeAll(await openFlatGeobuf(file, layer), features)
  return file
}

describe('openFlatGeobuf', () => {
  it('leaves only the file in the folder', async () => {
    const file = await write(pointLayer, points)

    expect(readdirSync(join(file, '..'))).toEqual(['issues.fgb'])
  })

  it('grows while features are written, so that its size can be limited', async () => {
    const file = join(createTemporaryFolder(), 'issues.fgb')
    const writer = await openFlatGeobuf(file, pointLayer)

    await writer.write([...points, ...points, ...points])

    expect(statSync(file).size).toBeGreaterThan(2 ** 20)
    await writer.end()
  })

  it('states licence and attribution', async () => {
    const file = await write(pointLayer, points)

    expect(readFileSync(file, 'utf8')).toContain('{"licence":"CC-BY-4.0","attribution":"Invented by the tests"}')
  })

  it('refuses a number that is too large for its column', async () => {
    const [point] = inventPoints(1) as [Feature]

    await expect(write(pointLayer, [{ ...point, values: [2 ** 31, ...point.values.slice(1)] }])).rejects.toThrow(RangeError)
  })
})

describe.skipIf(!hasGdal)(`${gdal} reads FlatGeobuf`, () => {
  it.each([
    ['points', pointLayer, points],
    ['polygons with holes', polygonLayer, polygons],
    ['one point', pointLayer, points.slice(0, 1)],
    ['17 points, more than a node holds', pointLayer, points.slice(0, 17)],
    ['257 points, more than two levels hold', pointLayer, points.slice(0, 257)],
    ['no points', pointLayer, []],
  ])('with all values of %s', async (_, layer, features) => {
    const file = await write(layer, features)

    expect(await readWithGdal(file, layer)).toEqual(features)
  })

  it.each([[[0, 0, 20, 20]], [[-180, -90, -170, 90]], [[170, -90, 180, -60]], [[-0.001, -0.001, 0.001, 0.001]]] as const)(
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

  it('with the types of the columns, also where all values are null', async () => {
    const file = await write(
      pointLayer,
      points
        .slice(0, 3)
        .map((point) => ({ ...point, values: point.values.map((value, i) => ([2, 3, 4, 6].includes(i) ? null : value)) })),
    )

    const text = await describeWithGdal(file, pointLayer)

    expect(text.split('\n').filter((line) => /^\w+: \w+ \(/.test(line))).toEqual([
      'id: Integer (0.0) NOT NULL',
      'title: String (0.0) NOT NULL',
      'note: String (0.0)',
      'score: Integer (0.0)',
      'area_m2: Real (0.0)',
      'created_at: DateTime (0.0) NOT NULL',
      'closed_at: DateTime (0.0)',
    ])
    expect(text).toContain('EPSG","4326')
  })
})
