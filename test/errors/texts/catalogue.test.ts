import { IntlMessageFormat } from 'intl-messageformat'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

import { catalogue, parts } from '../../../src/errors/texts/catalogue.ts'
import { languages } from '../../../src/errors/texts/languages.ts'

const others = languages.filter((language) => language !== 'en')
const entries = Object.entries(catalogue)

type Element = ReturnType<IntlMessageFormat['getAst']>[number]

const parametersOf = (message: string) => [...new Set(namesIn(new IntlMessageFormat(message).getAst()))].sort()

function namesIn(elements: readonly Element[]): string[] {
  return elements.flatMap((element) => [
    ...(Number(element.type) === 0 || !('value' in element) ? [] : [element.value]),
    ...('options' in element ? Object.values(element.options).flatMap(({ value }) => namesIn(value)) : []),
  ])
}

describe('the catalogue of error texts', () => {
  test('has every code once', () => {
    const codes = Object.values(parts).flatMap((part) => Object.keys(part))

    expect(codes.filter((code, n) => codes.indexOf(code) !== n)).toEqual([])
  })

  test('has no text that the code does not use', () => {
    const root = join(import.meta.dirname, '..', '..', '..', 'src')
    const files = globSync('**/*.ts', { cwd: root, exclude: ['errors/texts/**'] })
    const code = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')

    expect(Object.keys(catalogue).filter((one) => !code.includes(`'${one}'`))).toEqual([])
  })

  test('has codes in snake_case', () => {
    expect(Object.keys(catalogue).filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([])
  })

  test.each(others)('fills the same into the texts in %s', (language) => {
    const different = entries.filter(([, texts]) => String(parametersOf(texts.en)) !== String(parametersOf(texts[language])))

    expect(different).toEqual([])
  })

  test.each(others)('ends sentences as sentences in %s, and what follows the name of a field as that', (language) => {
    const different = entries.filter(([, texts]) => texts.en.endsWith('.') !== texts[language].endsWith('.'))

    expect(different).toEqual([])
  })

  test.each(others)('writes %s with its own apostrophes, and nothing that cannot be read', (language) => {
    expect(entries.filter(([, texts]) => /['\uFFFD]/.test(texts[language]))).toEqual([])
  })
})
