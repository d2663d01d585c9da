import { describe, expect, it } from 'vitest'

import { catalogue } from '../../../src/errors/texts/catalogue.ts'
import { readTexts } from './page-texts.ts'

/** French has a space before these characters and within quotation marks, at which a line must not break. */
const BREAKING = /(?<=\S) [:;?!»](?=[\s<]|$)|« /u

describe('French texts', () => {
  it('have no-break spaces before punctuation and within quotation marks', async () => {
    const { fr: pages } = await readTexts()
    const errors = Object.values(catalogue).map(({ fr }) => fr)

    expect(pages.filter((text) => text.includes('\u00A0:'))).not.toEqual([])
    expect([...pages, ...errors].filter((text) => BREAKING.test(text))).toEqual([])
  })
})
