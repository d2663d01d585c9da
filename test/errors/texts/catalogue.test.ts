import { IntlMessageFormat } from 'intl-messageformat'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { catalogue, topics } from '../../../src/errors/texts/catalogue.ts'
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
  it('has every code once', () => {
    const codes = Object.values(topics).flatMap((part) => Object.keys(part))

    expect(codes.filter((code, n) => codes.indexOf(code) !== n)).toEqual([])
  })

  it('has no unused text', () => {
    const root = join(import.meta.dirname, '..', '..', '..', 'src')
    const files = globSync('**/*.ts', { cwd: root, exclude: ['errors/texts/**'] })
    const code = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')

    expect(Object.keys(catalogue).filter((one) => !code.includes(`'${one}'`))).toEqual([])
  })

  it('has codes in snake_case', () => {
    expect(Object.keys(catalogue).filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([])
  })

  it.each(others)('has the same parameters in %s', (language) => {
    const different = entries.filter(([, texts]) => String(parametersOf(texts.en)) !== String(parametersOf(texts[language])))

    expect(different).toEqual([])
  })

  it.each(others)('ends sentences with a period in %s, and texts after a field name without', (language) => {
    const different = entries.filter(([, texts]) => texts.en.endsWith('.') !== texts[language].endsWith('.'))

    expect(different).toEqual([])
  })

  it.each(others)('writes %s with its own apostrophes and visible characters', (language) => {
    expect(entries.filter(([, texts]) => /['\uFFFD]/.test(texts[language]))).toEqual([])
  })
})
