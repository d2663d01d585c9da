import { describe, expect, test } from 'vitest'

import { catalogue, parts } from '../../src/i18n/catalogue.ts'
import { languages } from '../../src/i18n/languages.ts'
import { ofSchemas } from '../../src/i18n/of-schemas.ts'
import { keysOf, translate } from '../../src/i18n/translate.ts'
import { HOLE, textsInCode } from './texts-in-code.ts'

const PARAMETER = /\{(\w+)[^{}]*\}/g
const others = languages.filter((language) => language !== 'en')
const entries = Object.entries(catalogue)

/** A number fits wherever anything may be filled in. */
const filled = (text: string) => text.replaceAll(PARAMETER, '7').replaceAll(HOLE, '7')

/** The entries that a text may be: as it stands, or for what is filled into it when it runs. */
function entriesOf(text: string): string[] {
  const pieces = text.split(new RegExp(`${HOLE}|\\d[\\d,]*`))
  const written = new RegExp(`^(must be )?${pieces.map((piece) => RegExp.escape(piece)).join('.+')}$`, 's')
  const saysSomething = pieces.length > 1 && pieces.join('').length >= 4
  return [...keysOf(filled(text)), ...(saysSomething ? Object.keys(catalogue).filter((key) => written.test(filled(key))) : [])]
}

const parametersOf = (text: string) => [...new Set([...text.matchAll(PARAMETER)].map(([, name]) => name))].sort()

describe('the catalogue of error texts', () => {
  test('has every text once', () => {
    const keys = Object.values(parts).flatMap((part) => Object.keys(part))

    expect(keys.filter((key, n) => keys.indexOf(key) !== n)).toEqual([])
  })

  test.each(others)('fills the same into the texts in %s', (language) => {
    const different = entries.filter(([key, texts]) => String(parametersOf(key)) !== String(parametersOf(texts[language])))

    expect(different).toEqual([])
  })

  test.each(others)('ends sentences as sentences in %s, and what follows the name of a field as that', (language) => {
    const different = entries.filter(([key, texts]) => key.endsWith('.') !== texts[language].endsWith('.'))

    expect(different).toEqual([])
  })

  test.each(others)('writes %s with its own apostrophes, and nothing that cannot be read', (language) => {
    const broken = entries.filter(([key]) => /['\uFFFD]/.test(translate(key.replaceAll(PARAMETER, '7'), language)))

    expect(broken).toEqual([])
  })

  test('has no text that the code does not have', () => {
    const used = new Set(textsInCode().flatMap(({ text }) => entriesOf(text)))
    const unused = Object.keys(catalogue).filter((key) => !used.has(key) && !Object.hasOwn(ofSchemas, key))

    expect(unused).toEqual([])
  })

  test('has every text that the code hands to what makes a failure', () => {
    const unknown = textsInCode().filter(({ text, isError }) => isError && entriesOf(text).length === 0)

    expect(unknown).toEqual([])
  })
})
