import letters from './look-alikes.json' with { type: 'json' }

/** The Latin look-alikes of Cyrillic and Greek letters. */
const lookAlikes = new Map(Object.entries(letters))

const WORD = /[\p{L}\p{M}]+/gu
const LATIN = /\p{Script=Latin}/u
const OTHER = /[\p{Script=Cyrillic}\p{Script=Greek}]/u

/**
 * Normalizes with NFKC, and removes invisible characters and strokes through Latin letters. Look-alikes become Latin only in words
 * of mixed alphabets.
 */
export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFC')
    .replaceAll(/(?<=\p{Script=Latin})\p{Mn}+/gu, '')
    .replaceAll(WORD, (word) =>
      LATIN.test(word) && OTHER.test(word) ? [...word].map((letter) => lookAlikes.get(letter) ?? letter).join('') : word,
    )
}
