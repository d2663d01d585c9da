import { expect, it } from 'vitest'

import { openSource } from '../../src/imports/reading/source-file.ts'
import { ImportFailed } from '../../src/imports/reading/source-row.ts'
import { givenFile } from './files.ts'
import { feature, POINT, rowOfFeature, rowsOf } from './rows.ts'

it.each(['EPSG:4326', 'urn:ogc:def:crs:OGC:1.3:CRS84', 'urn:ogc:def:crs:EPSG::4326', 'http://www.opengis.net/def/crs/EPSG/0/4326'])(
  'accepts coordinates in %s',
  async (name) => {
    const crs = { type: 'name', properties: { name } }

    expect(await rowsOf(givenFile('a.json', JSON.stringify({ crs, features: [feature(7)] })))).toEqual([rowOfFeature(1, 7)])
  },
)

it('refuses a file that is not in WGS84 before its first feature, and rejects a single feature that is not', async () => {
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } }
  const fault =
    'the coordinates are in "urn:ogc:def:crs:EPSG::3857" and not in WGS84, as its crs says: export it in WGS84 (ogr2ogr -t_srs EPSG:4326)'
  const projected = { ...feature(7), geometry: { ...POINT, crs } }

  for (const content of [
    { crs, features: [feature(7)] },
    { features: [feature(7)], crs },
  ]) {
    const opening = openSource(givenFile('a.geojson', JSON.stringify(content)))
    await expect(opening).rejects.toThrow(new ImportFailed(`The file cannot be imported: ${fault}.`))
  }
  await expect(openSource(givenFile('b.json', '{"features": [], "crs": {"type": "link"}}'))).rejects.toThrow(
    'the coordinates are in something else than WGS84',
  )
  expect(await rowsOf(givenFile('a.ndjson', `${JSON.stringify(projected)}\n${JSON.stringify(feature(8))}`))).toEqual([
    { line: 1, values: { summary: 'Number 7' }, feature: projected, fault },
    rowOfFeature(2, 8),
  ])
})
