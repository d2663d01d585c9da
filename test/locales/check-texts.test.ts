import { describe, expect, it } from 'vitest'

import { compareWithCode, compareWithEnglish } from '../../.ci/check-texts.ts'

const english = new Map([
  ['menu.title', 'Menu'],
  ['menu.count', '{count, plural, one {# issue} other {# issues}} in {place}'],
  ['menu.states.open', 'Open'],
  ['errors.is_blank', 'must not be blank'],
])
const code = "texts('menu.title') + texts('menu.count', { count, place: name }) + texts(`menu.states.${state}`) + text('is_blank')"

describe('npm run check', () => {
  it('accepts languages and code that fit the English messages', () => {
    expect(compareWithEnglish('fr', english, english)).toEqual([])
    expect(compareWithCode(new Map([['a.ts', code]]), english)).toEqual([])
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

    expect(compareWithCode(new Map([['a.ts', calls]]), english)).toEqual([
      'no code uses menu.title',
      'no code uses menu.states.open',
      'no code uses errors.is_blank',
      'a.ts: menu.count needs {place}',
      'a.ts: menu.count has no {city}',
    ])
  })
})
