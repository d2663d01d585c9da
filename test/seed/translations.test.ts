import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import { cities } from '../../prisma/seeds/cities/index.ts'
import { builtInQuestions } from '../../prisma/seeds/organizations.ts'
import { communitySpecs, requestTypeSpecs } from '../../prisma/seeds/request-types.ts'
import { languages } from '../../src/locales/texts.ts'

const translated = JSON.parse(readFileSync(new URL('../../prisma/seeds/translations.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>

const types = [...Object.values(requestTypeSpecs), ...communitySpecs]
const texts = new Set([
  ...builtInQuestions.map(({ question }) => question),
  ...types.map(({ title }) => title),
  ...types.flatMap(({ questions }) => questions.map(({ question }) => question)),
  ...types.flatMap(({ questions }) => questions.flatMap((question) => ('choices' in question ? question.choices : []))),
  ...cities.flatMap(({ agencies }) => agencies.map(({ name }) => name)),
])

describe('translations of the demo', () => {
  it('has every title, question, choice and organisation in all languages, and no other text', () => {
    expect(Object.keys(translated).toSorted()).toEqual([...texts].toSorted())
    expect(languages).toEqual(['en', 'es', 'fr'])
    expect(
      Object.entries(translated).filter(([, others]) => others.length !== 2 || others.some((text) => text.trim() === '')),
    ).toEqual([])
  })

  it('has the punctuation of each language', () => {
    const wrong = Object.values(translated).filter(
      ([spanish = '', french = '']) => spanish.includes('¿') !== spanish.includes('?') || /[^\u00a0][?:;!]/.test(french),
    )

    expect(wrong).toEqual([])
  })
})
