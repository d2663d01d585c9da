import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { featureCsv, toCsvLine, unescapeFormula } from '../../../src/http/formats/csv.ts'
import { runs } from '../../helpers/long.ts'

describe('a line of CSV', () => {
  it('quotes every separator of spreadsheets, and tells an empty text from null', () => {
    expect(toCsvLine(['plain', 'a, b', 'say "hi"', 'two\nlines', 'a; b', 'a\tb', '', null, -1.5])).toBe(
      'plain,"a, b","say ""hi""","two\nlines","a; b","a\tb","",,-1.5\r\n',
    )
  })

  it.each(['=1+1', '+1', '-2', '@cmd', '\uFF1D1', '\uFF0B1', '\uFF0D1', '\uFF20cmd', "'=1"])(
    'keeps a spreadsheet from evaluating the text %j',
    (text) => {
      expect(toCsvLine([text])).toBe(`'${text}\r\n`)
    },
  )

  it.each(['\r', '\n', '\t'])('keeps a spreadsheet from evaluating text after %j at the start', (separator) => {
    expect(toCsvLine([`${separator}=1`])).toBe(`"'${separator}'=1"\r\n`)
    expect(toCsvLine([`${separator}plain`])).toBe(`"'${separator}plain"\r\n`)
  })

  it.each([';', '\t', '\n', '\r'])('keeps a spreadsheet that separates cells by %j from evaluating text after it', (separator) => {
    expect(toCsvLine([`a${separator}=1`, `b${separator}"@c`, `d${separator}e-f`])).toBe(
      `"a${separator}'=1","b${separator}'""@c","d${separator}e-f"\r\n`,
    )
  })

  it('leaves numbers untouched', () => {
    expect(toCsvLine([-104.9903, 1e-7, 0])).toBe('-104.9903,1e-7,0\r\n')
  })

  it('restores every text, and begins no cell like a formula for any separator', () => {
    const formula = fc
      .tuple(fc.stringMatching(/^([^]{0,2}[;\t\r\n])?['"]{0,3}[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]$/), fc.string())
      .map((parts) => parts.join(''))
    const text = fc.oneof(fc.string({ unit: 'binary' }), formula)

    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        const [cells = []] = parse(toCsvLine(texts), { recordDelimiter: '\r\n' })

        expect(cells.map(unescapeFormula)).toEqual(texts)
        const parts = cells.flatMap((cell) => [cell, ...cell.split(/[;\t\r\n]/)])
        expect(parts.filter((part) => /^"*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/.test(part))).toEqual([])
      }),
      runs(200),
    )
  })
})

describe('a table of features', () => {
  it('ends with the coordinates of points', () => {
    const { header, toRow } = featureCsv({ columns: ['id'], hasPoints: true })

    expect(header + toRow([7], [-1.5, 2])).toBe('id,lng,lat\r\n7,-1.5,2\r\n')
  })

  it('has no coordinates of boundaries', () => {
    const { header, toRow } = featureCsv({ columns: ['id'], hasPoints: false })

    expect(header + toRow([7])).toBe('id\r\n7\r\n')
  })
})
