const INVISIBLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu

/** Returns the beginning of a text in one line. @param lengthMax in UTF-16 units, including the ellipsis */
export function toOneLine(text: string, lengthMax: number): string {
  return truncate(text.replaceAll(INVISIBLE, ' ').replaceAll(/\s+/g, ' ').trim(), lengthMax).text
}

/** Shortens a text and replaces several empty lines by one. @param lengthMax in UTF-16 units, including the ellipsis */
export function shortenText(text: string, lengthMax: number): { readonly text: string; readonly isShortened: boolean } {
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n')
  const plain = lines.map((line) => line.replaceAll(INVISIBLE, ' ').trimEnd()).join('\n')
  return truncate(plain.replaceAll(/\n{3,}/g, '\n\n').trim(), lengthMax)
}

function truncate(text: string, lengthMax: number) {
  if (text.length <= lengthMax) return { text: text.toWellFormed(), isShortened: false }
  const beginning = text.slice(0, lengthMax - 1)
  const wholeWords = beginning.replace(/\s+\S{0,30}$/, '')
  return { text: `${wholeWords.toWellFormed().trimEnd()}…`, isShortened: true }
}
