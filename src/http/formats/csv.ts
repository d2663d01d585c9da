/** Spreadsheets evaluate cells that begin with one of these characters. */
const beginsLikeFormula = /^'*[=+\-@\t\r]/

/**
 * Returns a line of CSV (RFC 4180) with its CRLF. An apostrophe before text that begins like a formula keeps spreadsheets from
 * evaluating it; `unescapeFormula` removes it. Numbers stay as they are, and null is an empty cell.
 */
export const toCsvLine = (values: readonly (string | number | null)[]): string => `${values.map(toCell).join(',')}\r\n`

function toCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = beginsLikeFormula.test(value) ? `'${value}` : value
  // An empty text is quoted, so that it differs from null.
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Returns the text that `toCsvLine` wrote. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && beginsLikeFormula.test(cell) ? cell.slice(1) : cell
