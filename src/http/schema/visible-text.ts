/** Letters and symbols without a glyph are invisible, such as Hangul fillers and the blank Braille pattern. */
const VISIBLE_CHARACTER = '(?![\\p{Default_Ignorable_Code_Point}\\u2800])[\\p{L}\\p{N}\\p{P}\\p{S}]'

export const VISIBLE = VISIBLE_CHARACTER

export const HAS_VISIBLE = `^(?=[\\s\\S]*${VISIBLE_CHARACTER})`

const visible = new RegExp(VISIBLE_CHARACTER, 'u')

export function isBlankText(text: string): boolean {
  return !visible.test(text)
}
