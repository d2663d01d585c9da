/** Type oids. */
const TIMESTAMPTZ = 1184
const INT8 = 20
const NUMERIC = 1700

export const rowParsers: Readonly<Record<number, (text: string) => unknown>> = {
  [TIMESTAMPTZ]: toIso,
  [INT8]: Number,
  [NUMERIC]: Number,
}

/** The input is the output of a session in UTC, such as '2026-11-20 09:30:00.12+00'. */
function toIso(text: string): string {
  const fraction = /\.(\d{1,3})/.exec(text)?.[1] ?? ''
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`
}

/** Prisma has already parsed the values of raw queries inside a transaction. */
export function toPlainValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'object' && value !== null && 'toFixed' in value && 'd' in value) return Number(value)
  return value
}

export function toPlainRow<Row>(row: Record<string, unknown>): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toPlainValue(value)])) as Row
}
