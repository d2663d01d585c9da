export type CopyValue = string | number | boolean | null

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Returns COPY's text format. Texts must not contain U+0000. */
export function toCopyText(rows: readonly (readonly CopyValue[])[]): string {
  return rows.map((row) => `${row.map(toField).join('\t')}\n`).join('')
}

function toField(value: CopyValue): string {
  if (value === null) return '\\N'
  return typeof value === 'string' ? value.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character) : String(value)
}
