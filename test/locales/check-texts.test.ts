import ts from 'typescript'
import { describe, expect, it } from 'vitest'

import { compareWithCode, compareWithEnglish } from '../../.ci/check-texts.ts'

const english = new Map([
  ['menu.title', 'Menu'],
  ['menu.count', '{count, plural, one {# issue} other {# issues}} in {place}'],
  ['menu.states.open', 'Open'],
  ['errors.is_blank', 'must not be blank'],
])
const code =
  "declare const state: 'open'; texts('menu.title') + texts('menu.count', { count, place: name }) + texts(`menu.states.${state}`) + text('is_blank')"

function programOf(code: string): ts.Program {
  const host = ts.createCompilerHost({})
  const getSourceFile = (file: string) => ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true)
  return ts.createProgram(['a.ts'], { noLib: true, types: [] }, { ...host, getSourceFile })
}

describe('npm run check', () => {
  it('accepts languages and code that fit the English messages', () => {
    expect(compareWithEnglish('fr', english, english)).toEqual([])
    expect(compareWithCode(programOf(code), english)).toEqual([])
  })

  it('names keys and values that only one language has', () => {
    const french = new Map([...english, ['menu.title', '{titre}'], ['menu.old', 'Ancien']])
    french.delete('errors.is_blank')

    expect(compareWithEnglish('fr', french, english)).toEqual([
      'fr.json lacks errors.is_blank',
      'fr.json: menu.title has {titre}, which en.json lacks',
      'fr.json has menu.old, which en.json lacks',
    ])
  })

  it('names keys that no code uses, and values that a call lacks or has in excess', () => {
    const calls = "texts('menu.count', { count, city })"

    expect(compareWithCode(programOf(calls), english)).toEqual([
      'no code uses menu.title',
      'no code uses menu.states.open',
      'no code uses errors.is_blank',
      'a.ts: menu.count needs {place}',
      'a.ts: menu.count has no {city}',
    ])
  })

  it('names an unused key in a section of keys that are chosen at run time', () => {
    const keys = new Map([...english, ['menu.states.closed', 'Closed'], ['menu.states.old', 'Old'], ['menu.news.one', 'New']])
    const chosen = "texts(`menu.states.${state}`) + texts.section('menu.news')"

    expect(
      compareWithCode(programOf(`${code}; function show<State extends 'open' | 'closed'>(state: State) { ${chosen} }`), keys),
    ).toEqual(['no code uses menu.states.old'])
  })

  it('names keys of a section whose values have the type string, and keys that only a type names', () => {
    const calls = "declare const state: string; const key = `menu.states.${state}` as 'menu.title'"

    expect(compareWithCode(programOf(calls), english)).toEqual([...english.keys()].map((key) => `no code uses ${key}`))
  })
})
