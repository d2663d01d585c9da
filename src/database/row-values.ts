/** Type oids. */
const TIMESTAMPTZ = 1184
const INT8 = 20
const NUMERIC = 1700

export const rowParsers: Readonly<Record<number, (text: string) => unknown>> = {
  [TIMESTAMPTZ]: toIso,
  [INT8]: Number,
  [NUMERIC]: Number,
}

/**
 * OIDs of the types that statements return, and of their arrays: boolean, "char", name, bigint, smallint, integer, text, oid, json,
 * real, double precision, char, varchar, date, timestamp, timestamptz, numeric, uuid and jsonb.
 */
const SCALARS = [16, 18, 19, 20, 21, 23, 25, 26, 114, 700, 701, 1042, 1043, 1082, 1114, 1184, 1700, 2950, 3802]
const ARRAYS = [1000, 1002, 1003, 1016, 1005, 1007, 1009, 1028, 199, 1021, 1022, 1014, 1015, 1182, 1115, 1185, 1231, 2951, 3807]

/**
 * Returns the parsers of these types alone. PGlite copies its parsers at each query, which takes longer than the query if there is one
 * for the rows of every table.
 */
export const onlyUsedParsers = <Parser>(parsers: Readonly<Record<number, Parser>>): Record<number, Parser> =>
  Object.fromEntries([...SCALARS, ...ARRAYS].flatMap((oid) => (parsers[oid] === undefined ? [] : [[oid, parsers[oid]]])))

/** The input is the output of a session in UTC, such as '2026-11-20 09:30:00.12+00'. */
function toIso(text: string): string {
  const fraction = /\.(\d{1,3})/.exec(text)?.[1] ?? ''
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`
}

/** Prisma has already parsed the values of raw queries inside a transaction. */
function toPlainValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'object' && value !== null && 'toFixed' in value && 'd' in value) return Number(value)
  return value
}

export function toPlainRow<Row>(row: Record<string, unknown>): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toPlainValue(value)])) as Row
}
