import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'

import { readFeatureCollection } from '../../src/imports/reading/feature-rows.ts'
import { openSource, defaultSourceName } from '../../src/imports/reading/source-file.ts'
import { ImportFailed, type SourceRow } from '../../src/imports/reading/source-row.ts'
import { csv, featureCollection, writeTemporaryFile } from './files.ts'
import { feature, featureRow, readAllRows } from './rows.ts'

describe('CSV reader', () => {
  it('accepts a byte order mark, CRLF, line breaks in quotation marks, blank lines and a last line without a break', async () => {
    const path = writeTemporaryFile('a.csv', '\uFEFFid,summary\r\n1,"two\r\nlines, one ""quote"""\r\n\r\n2,b')

    expect(await readAllRows(path)).toEqual([
      { line: 2, values: { id: '1', summary: 'two\r\nlines, one "quote"' } },
      { line: 5, values: { id: '2', summary: 'b' } },
    ])
  })

  it('rejects only the row with the wrong number of columns', async () => {
    const path = writeTemporaryFile('a.csv', csv('id,summary', '1', '2,b', '3,c,d'))

    expect(await readAllRows(path)).toEqual([
      { line: 2, values: {}, error: 'the row has 1 columns instead of 2', raw: '1' },
      { line: 3, values: { id: '2', summary: 'b' } },
      { line: 4, values: {}, error: 'the row has 3 columns instead of 2', raw: '3,c,d' },
    ])
  })

  it('rejects only the row with an unclosed quotation mark', async () => {
    const path = writeTemporaryFile('a.csv', csv('id,summary', '1,"open', '2,b', '3,"c, d"'))

    expect(await readAllRows(path)).toEqual([
      { line: 2, values: {}, error: 'a quotation mark is not closed', raw: '1,"open' },
      { line: 3, values: { id: '2', summary: 'b' } },
      { line: 4, values: { id: '3', summary: 'c, d' } },
    ])
  })

  it('rejects only the rows with two unclosed quotation marks', async () => {
    const path = writeTemporaryFile('a.csv', csv('id,summary', '1,"open', '2,b', '3,"open', '4,d'))

    expect(await readAllRows(path)).toEqual([
      { line: 2, values: {}, error: 'a quotation mark is not closed', raw: '1,"open' },
      { line: 3, values: { id: '2', summary: 'b' } },
      { line: 4, values: {}, error: 'a quotation mark is not closed', raw: '3,"open' },
      { line: 5, values: { id: '4', summary: 'd' } },
    ])
  })

  it('reads a quotation mark inside a text as a character', async () => {
    const path = writeTemporaryFile('a.csv', csv('id,summary', '1,5" pipe', '2,b', '3,a 2" x 4" board'))

    expect(await readAllRows(path)).toEqual([
      { line: 2, values: { id: '1', summary: '5" pipe' } },
      { line: 3, values: { id: '2', summary: 'b' } },
      { line: 4, values: { id: '3', summary: 'a 2" x 4" board' } },
    ])
  })

  it('rejects a line that is not UTF-8 and one that is too long', async () => {
    const lines = [Buffer.from('id,summary\n1,'), Buffer.from([0xe9]), Buffer.from(`\n2,${'x'.repeat(2_000_000)}\n3,c\n`)]
    const path = writeTemporaryFile('a.csv', Buffer.concat(lines))

    expect(await readAllRows(path)).toEqual([
      { line: 2, values: {}, error: 'the line is not UTF-8', raw: Buffer.from('1,\u00e9', 'latin1') },
      {
        line: 3,
        values: {},
        error: 'the line is longer than 1048576 bytes; only the beginning is shown',
        raw: Buffer.from(`2,${'x'.repeat(998)}`),
      },
      { line: 4, values: { id: '3', summary: 'c' } },
    ])
  })

  it.each([
    ['an empty file', '', /is empty/],
    ['blank lines only', '\n\n', /first line must be a header/],
    ['a column that is named twice', 'id,id\n1,2\n', 'The header has the column "id" twice.'],
    ['a first line that is not text', Buffer.from([0xff, 0xfe, 0x0a]), /header cannot be read/],
  ])('refuses %s', async (_, content, message) => {
    await expect(readAllRows(writeTemporaryFile('a.csv', content))).rejects.toThrow(message)
  })
})

describe('GeoJSON reader', () => {
  it('returns the features of a collection with their numbers and ignores other members', async () => {
    const content = JSON.stringify({
      more: { features: 1, text: '\\"]}' },
      type: 'FeatureCollection',
      features: [feature(7), 'x', feature(8)],
      bbox: [],
    })

    expect(await readAllRows(writeTemporaryFile('a.geojson', content))).toEqual([
      featureRow(1, 7),
      { line: 2, values: {}, error: 'it is not a GeoJSON Feature', raw: '"x"' },
      featureRow(3, 8),
    ])
  })

  it('returns the features before the end of truncated JSON', async () => {
    const path = writeTemporaryFile('a.geojson', featureCollection(feature(7), feature(8)).slice(0, -20))
    const rows: SourceRow[] = []

    await expect(readAllRows(path, rows)).rejects.toThrow('The GeoJSON is invalid after feature 1: Parser has expected')
    expect(rows).toEqual([featureRow(1, 7)])
  })

  const supported = 'Supported are a FeatureCollection, a Feature, newline-delimited Features'

  it.each([
    ['JSON without features', '{"type": "Topology"}', `The file has no features: its GeoJSON type is "Topology". ${supported}`],
    ['a blank file', ' ', `The file has no features. ${supported}`],
    ['JSON that is not GeoJSON', '[1]', `The file has no features. ${supported}`],
    ['features that are not a list', '{"features": {}}', `The file has no features. ${supported}`],
    ['text that is not JSON', '<gml>', 'The GeoJSON is invalid after feature 0: Parser cannot parse input'],
    ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), /after feature 0: .* not valid for encoding utf-8\. Supported are/],
  ])('refuses %s and names the accepted formats', async (_, content, message) => {
    await expect(readAllRows(writeTemporaryFile('a.json', content))).rejects.toThrow(message)
  })

  it('reads a single Feature as a collection of one, pretty-printed or not', async () => {
    const pretty = JSON.stringify(feature(7), null, 2)
    const path = writeTemporaryFile('a.geojson', pretty)

    expect(await readAllRows(path)).toEqual([featureRow(1, 7)])
    expect(await readAllRows(writeTemporaryFile('b.geojson', JSON.stringify(feature(7))))).toEqual([featureRow(1, 7)])
    expect(await readAllRows(writeTemporaryFile('c.geojson', `\uFEFF${pretty}\n${pretty}`))).toEqual([
      featureRow(1, 7),
      featureRow(2, 7),
    ])
  })

  const deep = (levels: number) => `{"type":"Feature","x":${'['.repeat(levels)}${']'.repeat(levels)},"id":1}`
  const latin = Buffer.from('{"type":"Feature","properties":{"summary":"caf\u00e9"}}', 'latin1')

  it('rejects only lines that are nested too deep, not UTF-8 or not JSON, with their text', async () => {
    const texts = [deep(2_000), JSON.stringify(feature(7)), latin, '{"type":,}', deep(100), deep(99), JSON.stringify(feature(8))]
    const lines = Buffer.concat(texts.flatMap((text) => [Buffer.from(text), Buffer.from('\n')]))

    for (const name of ['a.ndjson', 'lines.geojson'])
      expect(await readAllRows(writeTemporaryFile(name, lines))).toEqual([
        { line: 1, values: {}, error: 'the line is nested deeper than 100 levels', raw: deep(2_000) },
        featureRow(2, 7),
        { line: 3, values: {}, error: 'the line is not UTF-8', raw: latin },
        { line: 4, values: {}, error: 'the line is not JSON', raw: '{"type":,}' },
        { line: 5, values: {}, error: 'the line is nested deeper than 100 levels', raw: deep(100) },
        { line: 6, values: {}, feature: JSON.parse(deep(99)) as unknown },
        featureRow(7, 8),
      ])
  })

  it.each([
    ['not JSON', '{"type":,}', 'Parser cannot parse input'],
    ['not UTF-8', latin, 'The encoded data was not valid for encoding utf-8'],
    ['nested too deep', deep(100), 'the next feature is nested deeper than 100 levels'],
    ['too long', `{"x":"${'x'.repeat(34_000_000)}"}`, 'the next feature is longer than 33554432 characters'],
  ])('ends a collection at a feature that is %s, and names the last one before it', async (_, text, message) => {
    const before = `{"features":[${JSON.stringify(feature(7))},${deep(99)},${' '.repeat(300_000)}`
    const path = writeTemporaryFile('a.geojson', Buffer.concat([Buffer.from(before), Buffer.from(text), Buffer.from(']}')]))
    const rows: SourceRow[] = []

    await expect(readAllRows(path, rows)).rejects.toThrow(`The GeoJSON is invalid after feature 2: ${message}`)
    expect(rows).toEqual([featureRow(1, 7), { line: 2, values: {}, feature: JSON.parse(deep(99)) as unknown }])
  })

  it('returns the same features for any chunk boundaries', async () => {
    const named = (id: number) => ({ ...feature(id), properties: { summary: `"\\ [{é🚧 ${id}` } })
    const bytes = Buffer.from(JSON.stringify({ crs: null, name: 'é', features: [named(1), null, named(2)], bbox: [1] }, null, 1))
    const parted = async (chunks: Buffer[]) => {
      const rows: SourceRow[] = []
      for await (const portion of readFeatureCollection(Readable.from(chunks))) rows.push(...portion)
      return rows
    }

    const whole = await parted([bytes])

    expect(whole.map((row) => row.feature ?? row.raw)).toEqual([named(1), 'null', named(2)])
    for (let at = 1; at < bytes.length; at++) expect(await parted([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
    expect(await parted([...bytes].map((byte) => Buffer.of(byte)))).toEqual(whole)
  })

  it('reads a JSON text sequence whose features span several lines', async () => {
    const pretty = (id: number) => JSON.stringify(feature(id), null, 2)
    const texts = [pretty(1), '{\n"type":\n', JSON.stringify(feature(2))]
    const path = writeTemporaryFile('a.geojson', texts.map((text) => `\u001e${text}\n`).join(''))

    expect(await readAllRows(path)).toEqual([
      featureRow(1, 1),
      { line: 2, values: {}, error: 'the line is not JSON', raw: '{\n"type":\n\n' },
      featureRow(3, 2),
    ])
  })

  it('reads one feature per line, and rejects other lines', async () => {
    const lines = [JSON.stringify(feature(7)), '', '{"type":', JSON.stringify(feature(8)), '[]']

    expect(await readAllRows(writeTemporaryFile('a.ndjson', lines.join('\n')))).toEqual([
      featureRow(1, 7),
      { line: 3, values: {}, error: 'the line is not JSON', raw: '{"type":' },
      featureRow(4, 8),
      { line: 5, values: {}, error: 'it is not a GeoJSON Feature', raw: '[]' },
    ])
  })
})

describe('openSource', () => {
  const one = JSON.stringify(feature(1))

  it.each([
    ['a.CSV', 'id\n', 'csv'],
    ['a.json', '{}', 'geojson'],
    ['lines.geojson', `${one}\n${one}\n`, 'ndjson'],
    ['lines.json', `\uFEFF\n${one}\n`, 'ndjson'],
    ['sequence.json', `\u001e${one}\n`, 'sequence'],
    ['bad-first.json', `${one.slice(0, -1)}\n${one}\n`, 'ndjson'],
    ['pretty.geojson', JSON.stringify(feature(1), null, 1), 'geojson'],
    ['collection.ndjson', featureCollection(feature(1)), 'geojson'],
    ['bad-first.ndjson', '{"type":\n', 'ndjson'],
    ['a.geojsonl', one, 'ndjson'],
    ['a.geojsons', one, 'ndjson'],
    ['a.jsonl', one, 'ndjson'],
    ['csv', 'id,summary\n', 'csv'],
    ['collection.txt', `\uFEFF\n${featureCollection(feature(1))}`, 'geojson'],
    ['pretty', '{\n"type": "FeatureCollection"', 'geojson'],
    ['lines.txt', `${one}\n${one}\n`, 'ndjson'],
    ['sequence', `\u001e${one}\n`, 'sequence'],
  ])('detects the format of %s by its beginning or its extension', async (name, content, format) => {
    expect((await openSource(writeTemporaryFile(name, content))).format).toBe(format)
  })

  it('refuses a missing path and a folder', async () => {
    await expect(openSource('/no/such/file.csv')).rejects.toThrow(new ImportFailed('File not found: /no/such/file.csv'))
    await expect(openSource(import.meta.dirname)).rejects.toThrow(/is not a file/)
  })
})

describe('defaultSourceName', () => {
  it('returns the name of the original file, also for files of rejected rows', () => {
    const names = [
      '/x/atlanta-issues.csv',
      'atlanta-issues.geojson',
      'atlanta-issues.csv.rejected.csv',
      'atlanta-issues.geojson.rejected.geojsonl.rejected.geojsonl',
      'plain',
    ].map(defaultSourceName)

    expect(names).toEqual(['atlanta-issues', 'atlanta-issues', 'atlanta-issues', 'atlanta-issues', 'plain'])
  })
})
