/**
 * One character that people see: a letter, a digit, a mark of punctuation or a symbol such as an emoji, but none of those that are drawn as
 * nothing, among which are letters (the fillers of Hangul) and a symbol (the empty pattern of Braille).
 */
const SEEN = '(?![\\p{Default_Ignorable_Code_Point}\\u2800])[\\p{L}\\p{N}\\p{P}\\p{S}]'

/** For `pattern` of a schema, where a text must not be blank. */
export const VISIBLE = SEEN

/** The same at the beginning of a longer pattern. */
export const HAS_VISIBLE = `^(?=[\\s\\S]*${SEEN})`

const seen = new RegExp(SEEN, 'u')

/** Whether nobody could see anything of a text, however many characters it has. */
export function isBlankText(text: string): boolean {
  return !seen.test(text)
}
