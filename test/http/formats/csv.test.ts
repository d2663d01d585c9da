import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { toCsvLine, unescapeFormula } from '../../../src/http/formats/csv.ts'

describe('a line of CSV', () => {
  it('quotes only what RFC 4180 requires, and tells an empty text from null', () => {
    expect(toCsvLine(['plain', 'a, b', 'say "hi"', 'two\nlines', '', null, -1.5])).toBe(
      'plain,"a, b","say ""hi""","two\nlines","",,-1.5\r\n',
    )
  })

  it.each(['=1+1', '+1', '-2', '@cmd', '\t=1', "'=1"])('keeps a spreadsheet from evaluating the text %j', (text) => {
    expect(toCsvLine([text])).toBe(`'${text}\r\n`)
  })

  it('leaves numbers untouched', () => {
    expect(toCsvLine([-104.9903, 1e-7, 0])).toBe('-104.9903,1e-7,0\r\n')
  })

  it('restores every text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^'{0,3}[=+\-@][a-z]{0,3}$/)), (text) => {
        const [cell = ''] =
          /^(?:"((?:[^"]|"")*)"|([^,"\r\n]*))\r\n$/
            .exec(toCsvLine([text]))
            ?.slice(1)
            .filter((part) => part !== undefined) ?? []
        expect(unescapeFormula(cell.replaceAll('""', '"'))).toBe(text)
      }),
    )
  })
})
