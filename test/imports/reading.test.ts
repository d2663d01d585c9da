import { describe, expect, test } from 'vitest'

import { openSource, sourceNameOf } from '../../src/imports/source-file.ts'
import { ImportFailed, type SourceRow } from '../../src/imports/source-row.ts'
import { csv, featureCollection, givenFile } from './files.ts'

async function rowsOf(path: string): Promise<SourceRow[]> {
  const source = await openSource(path)
  const rows: SourceRow[] = []
  for await (const portion of (await source.read()).portions) rows.push(...portion)
  return rows
}

const POINT = { type: 'Point', coordinates: [-84.39, 33.75] }
const feature = (id: number) => ({ type: 'Feature', id, properties: { summary: `Number ${id}` }, geometry: POINT })
const rowOfFeature = (line: number, id: number) => ({
  line,
  values: { summary: `Number ${id}` },
  feature: feature(id),
})

describe('reading CSV', () => {
  test('takes a byte order mark, CRLF, line breaks in quotation marks, blank lines and no break at the end', async () => {
    const path = givenFile('a.csv', '\uFEFFid,summary\r\n1,"two\r\nlines, one ""quote"""\r\n\r\n2,b')

    expect(await rowsOf(path)).toEqual([
      { line: 2, values: { id: '1', summary: 'two\nlines, one "quote"' } },
      { line: 5, values: { id: '2', summary: 'b' } },
    ])
  })

  test('rejects only the row with the wrong number of columns', async () => {
    const path = givenFile('a.csv', csv('id,summary', '1', '2,b', '3,c,d'))

    expect(await rowsOf(path)).toEqual([
      { line: 2, values: {}, fault: 'the row has 1 columns instead of 2', raw: '1' },
      { line: 3, values: { id: '2', summary: 'b' } },
      { line: 4, values: {}, fault: 'the row has 3 columns instead of 2', raw: '3,c,d' },
    ])
  })

  test('loses nothing but the row to a quotation mark that is never closed', async () => {
    const path = givenFile('a.csv', csv('id,summary', '1,"open', '2,b', '3,"c, d"'))

    expect(await rowsOf(path)).toEqual([
      { line: 2, values: {}, fault: 'a quotation mark is not closed', raw: '1,"open' },
      { line: 3, values: { id: '2', summary: 'b' } },
      { line: 4, values: { id: '3', summary: 'c, d' } },
    ])
  })

  test('loses nothing but the rows themselves to two quotation marks that are never closed', async () => {
    const path = givenFile('a.csv', csv('id,summary', '1,"open', '2,b', '3,"open', '4,d'))

    expect(await rowsOf(path)).toEqual([
      { line: 2, values: {}, fault: 'a quotation mark is not closed', raw: '1,"open' },
      { line: 3, values: { id: '2', summary: 'b' } },
      { line: 4, values: {}, fault: 'a quotation mark is not closed', raw: '3,"open' },
      { line: 5, values: { id: '4', summary: 'd' } },
    ])
  })

  test('takes a quotation mark inside a text as it stands', async () => {
    const path = givenFile('a.csv', csv('id,summary', '1,5" pipe', '2,b', '3,a 2" x 4" board'))

    expect(await rowsOf(path)).toEqual([
      { line: 2, values: { id: '1', summary: '5" pipe' } },
      { line: 3, values: { id: '2', summary: 'b' } },
      { line: 4, values: { id: '3', summary: 'a 2" x 4" board' } },
    ])
  })

  test('rejects a line that is not UTF-8 and one that is endless', async () => {
    const lines = [Buffer.from('id,summary\n1,'), Buffer.from([0xe9]), Buffer.from(`\n2,${'x'.repeat(2_000_000)}\n3,c\n`)]
    const path = givenFile('a.csv', Buffer.concat(lines))

    expect(await rowsOf(path)).toEqual([
      { line: 2, values: {}, fault: 'the line is not UTF-8', raw: Buffer.from('1,\u00e9', 'latin1') },
      {
        line: 3,
        values: {},
        fault: 'the line is longer than 1048576 bytes; only its beginning is kept here',
        raw: Buffer.from(`2,${'x'.repeat(998)}`),
      },
      { line: 4, values: { id: '3', summary: 'c' } },
    ])
  })

  test.each([
    ['an empty file', '', /is empty/],
    ['blank lines only', '\n\n', /first line must name the columns/],
    ['a column that is named twice', 'id,id\n1,2\n', 'The first line names the column "id" twice.'],
    ['a first line that is not text', Buffer.from([0xff, 0xfe, 0x0a]), /first line cannot be read/],
  ])('refuses %s', async (_, content, message) => {
    await expect(rowsOf(givenFile('a.csv', content))).rejects.toThrow(message)
  })
})

describe('reading GeoJSON', () => {
  test('gives the features of a collection with their numbers, whatever stands beside them', async () => {
    const content = JSON.stringify({
      crs: { features: 1 },
      type: 'FeatureCollection',
      features: [feature(7), 'x', feature(8)],
      bbox: [],
    })

    expect(await rowsOf(givenFile('a.geojson', content))).toEqual([
      rowOfFeature(1, 7),
      { line: 2, values: {}, fault: 'it is not a GeoJSON Feature', raw: '"x"' },
      rowOfFeature(3, 8),
    ])
  })

  test('gives what stands before the place where the JSON breaks off', async () => {
    const path = givenFile('a.geojson', featureCollection(feature(7), feature(8)).slice(0, -20))
    const reading = await (await openSource(path)).read()
    const rows: SourceRow[] = []

    const all = (async () => {
      for await (const portion of reading.portions) rows.push(...portion)
    })()

    await expect(all).rejects.toThrow(/^The GeoJSON is broken after feature 1: /)
    expect(rows).toEqual([rowOfFeature(1, 7)])
  })

  test.each([
    ['JSON without features', '{"type": "Feature"}', 'The file is not a GeoJSON FeatureCollection: it has no "features".'],
    ['features that are no list', '{"features": {}}', /^The GeoJSON is broken after feature 0: /],
  ])('refuses %s', async (_, content, message) => {
    await expect(rowsOf(givenFile('a.json', content))).rejects.toThrow(message)
  })

  test('gives the features of lines, with or without record separators, and rejects lines that are none', async () => {
    const lines = [JSON.stringify(feature(7)), '', '{"type":', `\u001e${JSON.stringify(feature(8))}`, '[]']

    expect(await rowsOf(givenFile('a.ndjson', lines.join('\n')))).toEqual([
      rowOfFeature(1, 7),
      { line: 3, values: {}, fault: 'the line is not JSON', raw: '{"type":' },
      rowOfFeature(4, 8),
      { line: 5, values: {}, fault: 'it is not a GeoJSON Feature', raw: '[]' },
    ])
  })
})

describe('the kind of a file', () => {
  const one = JSON.stringify(feature(1))

  test.each([
    ['a.CSV', 'id\n', 'csv'],
    ['a.json', '{}', 'geojson'],
    ['a.geojsonl', one, 'ndjson'],
    ['a.geojsons', one, 'ndjson'],
    ['a.jsonl', one, 'ndjson'],
    ['csv', 'id,summary\n', 'csv'],
    ['collection.txt', `\uFEFF\n${featureCollection(feature(1))}`, 'geojson'],
    ['pretty', '{\n"type": "FeatureCollection"', 'geojson'],
    ['lines.txt', `${one}\n${one}\n`, 'ndjson'],
    ['sequence', `\u001e${one}\n`, 'ndjson'],
  ])('of %s is told by its extension or else its beginning', async (name, content, format) => {
    expect((await openSource(givenFile(name, content))).format).toBe(format)
  })

  test('is not asked of what is no file', async () => {
    await expect(openSource('/no/such/file.csv')).rejects.toThrow(new ImportFailed('There is no file /no/such/file.csv.'))
    await expect(openSource(import.meta.dirname)).rejects.toThrow(/is not a file/)
  })
})

test('the source is named after the file, also for the rows that were rejected from it', () => {
  const names = [
    '/x/atlanta-issues.csv',
    'atlanta-issues.geojson',
    'atlanta-issues.csv.rejected.csv',
    'atlanta-issues.geojson.rejected.geojsonl.rejected.geojsonl',
    'plain',
  ].map(sourceNameOf)

  expect(names).toEqual(['atlanta-issues', 'atlanta-issues', 'atlanta-issues', 'atlanta-issues', 'plain'])
})
