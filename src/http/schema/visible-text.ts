/**
 * Pattern of one visible character: a letter, digit, punctuation mark or symbol. It excludes letters and symbols without a glyph,
 * such as Hangul fillers and the blank Braille pattern.
 */
const SEEN = '(?![\\p{Default_Ignorable_Code_Point}\\u2800])[\\p{L}\\p{N}\\p{P}\\p{S}]'

export const VISIBLE = SEEN

export const HAS_VISIBLE = `^(?=[\\s\\S]*${SEEN})`

const seen = new RegExp(SEEN, 'u')

export function isBlankText(text: string): boolean {
  return !seen.test(text)
}
