import { describe, expect, it } from 'vitest'
import { inLanguage } from '../../src/locales/texts.ts'
import { FilterError } from '../../src/gis/cql2/ast.ts'
import { parseJson } from '../../src/gis/cql2/parse-json.ts'
import { parseText } from '../../src/gis/cql2/parse-text.ts'
import examples from './cql2-examples.json' with { type: 'json' }
import { withoutLocations } from './without-locations.ts'

/** Names that errors contain, and the examples of the standard that the service refuses with them. */
const unsupported: Readonly<Record<string, readonly string[]>> = {
  arithmetic: [
    ...['clause6_02c', 'clause7_19', 'example72', 'example73', 'example74', 'example75', 'example76', 'example77', 'example78'],
    ...['example85', 'example85-alt01'],
  ],
  a_containedby: ['example79'],
  a_contains: ['clause7_15', 'example80'],
  a_equals: ['example81'],
  a_overlaps: ['example82'],
  avg: ['clause6_01', 'clause6_02b'],
  bar: ['example69'],
  foo: ['example68'],
  s_contains: ['example52'],
  s_crosses: ['clause7_10', 'clause7_16', 'example51'],
  s_disjoint: ['example47'],
  s_equals: ['example46', 'example46-alt01', 'example83', 'example84'],
  s_overlaps: ['example50'],
  s_touches: ['example48'],
  s_within: ['clause7_18', 'example23', 'example25', 'example49', 'example49-alt01'],
}
const reasons = new Map(Object.entries(unsupported).flatMap(([reason, names]) => names.map((name) => [name, reason] as const)))

const parseBoth = ({ text, json }: (typeof examples)[number]) => [() => parseText(text), () => parseJson(JSON.stringify(json))]

function refusal(parse: () => unknown): string | undefined {
  try {
    parse()
    return undefined
  } catch (error) {
    return error instanceof FilterError ? inLanguage(error.reason, 'en').toLowerCase() : String(error)
  }
}

describe('examples of the CQL2 standard', () => {
  it.each(examples.filter(({ name }) => !reasons.has(name)))('$name has the same meaning in both encodings: $text', (example) => {
    const [fromText, fromJson] = parseBoth(example).map((parse) => withoutLocations(parse()))

    expect(fromText).toEqual(fromJson)
  })

  it.each(examples.filter(({ name }) => reasons.has(name)))('$name is refused by name in both encodings: $text', (example) => {
    const refusals = parseBoth(example).map(refusal)

    const expected = expect.stringContaining(`${reasons.get(example.name)} is not supported`)
    expect(refusals).toEqual([expected, expected])
  })

  it('are those that the table names', () => {
    const names = examples.map(({ name }) => name)

    expect([...reasons.keys()].filter((name) => !names.includes(name))).toEqual([])
    expect([names.length, reasons.size]).toEqual([120, 36])
  })
})
