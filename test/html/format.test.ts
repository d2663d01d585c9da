import { describe, expect, it } from 'vitest'
import { type Language, textsIn } from '../../src/locales/texts.ts'
import { formatAlternatives, formatDate, formatNumber } from '../../src/html/format.ts'

const NOON = '2026-08-03T12:05:00Z'
/** French groups digits with a narrow no-break space. */
const withSpaces = (text: unknown) => String(text).replaceAll(/[\u00A0\u202F]/g, ' ')

describe.each([
  ['en', 'Aug 3, 2026', '12,345', 'a, b or c'],
  ['es', '3 ago 2026', '12.345', 'a, b o c'],
  ['fr', '3 août 2026', '12 345', 'a, b ou c'],
] as const)('formats in %s', (language, date, number, alternatives) => {
  it('writes dates, numbers and alternatives as the language does', () => {
    expect(String(formatDate(NOON, language))).toBe(`<time datetime="${NOON}">${date}</time>`)
    expect(withSpaces(formatNumber(12_345, language))).toBe(number)
    expect(formatAlternatives(['a', 'b', 'c'], language)).toBe(alternatives)
  })
})

describe('counts', () => {
  it.each<[Language, string, string, string]>([
    ['en', '0 issues', '1 issue', '12,345 issues'],
    ['es', '0 reportes', '1 reporte', '12.345 reportes'],
    ['fr', '0 signalement', '1 signalement', '12 345 signalements'],
  ])('have the plural of %s', (language, ...texts) => {
    const counts = [0, 1, 12_345].map((count) => withSpaces(textsIn(language)('map.issues', { count })))

    expect(counts).toEqual(texts)
  })
})
