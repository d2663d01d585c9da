import { describe, expect, it } from 'vitest'

import { readMessages } from '../../../src/locales/texts.ts'

/** French has a space before these characters and within quotation marks, at which a line must not break. */
const BREAKING = /(?<=\S) [:;?!»](?=[\s<]|$)|« /u

describe('French texts', () => {
  it('have no-break spaces before punctuation and within quotation marks', () => {
    const texts = [...readMessages('fr').values()]

    expect(texts.filter((text) => text.includes('\u00A0:'))).not.toEqual([])
    expect(texts.filter((text) => BREAKING.test(text))).toEqual([])
  })
})
