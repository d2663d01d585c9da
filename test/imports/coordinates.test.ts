import { describe, expect, it } from 'vitest'

import { openSource } from '../../src/imports/reading/source-file.ts'
import { ImportFailed } from '../../src/imports/reading/source-row.ts'
import { writeTemporaryFile } from './files.ts'
import { feature, POINT, featureRow, readAllRows } from './rows.ts'

describe('the coordinate system of a file', () => {
  it.each([
    'EPSG:4326',
    'urn:ogc:def:crs:OGC:1.3:CRS84',
    'urn:ogc:def:crs:EPSG::4326',
    'http://www.opengis.net/def/crs/EPSG/0/4326',
  ])('accepts coordinates in %s', async (name) => {
    const crs = { type: 'name', properties: { name } }

    expect(await readAllRows(writeTemporaryFile('a.json', JSON.stringify({ crs, features: [feature(7)] })))).toEqual([
      featureRow(1, 7),
    ])
  })

  it('refuses a file that is not in WGS84 before its first feature, and rejects a single feature that is not', async () => {
    const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } }
    const error = 'the crs ("urn:ogc:def:crs:EPSG::3857") is not WGS84: convert the data to WGS84 first (ogr2ogr -t_srs EPSG:4326)'
    const projected = { ...feature(7), geometry: { ...POINT, crs } }

    for (const content of [
      { crs, features: [feature(7)] },
      { features: [feature(7)], crs },
    ]) {
      const opening = openSource(writeTemporaryFile('a.geojson', JSON.stringify(content)))
      await expect(opening).rejects.toThrow(new ImportFailed(`The file cannot be imported: ${error}.`))
    }
    await expect(openSource(writeTemporaryFile('b.json', '{"features": [], "crs": {"type": "link"}}'))).rejects.toThrow(
      'the crs is not WGS84',
    )
    expect(
      await readAllRows(writeTemporaryFile('a.ndjson', `${JSON.stringify(projected)}\n${JSON.stringify(feature(8))}`)),
    ).toEqual([{ line: 1, values: { summary: 'Number 7' }, feature: projected, error }, featureRow(2, 8)])
  })
})
