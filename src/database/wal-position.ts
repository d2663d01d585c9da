/** A position in the write-ahead log (WAL) in bytes. */
export type WalPosition = bigint

const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i

/**
 * Parses a pg_lsn: the upper and the lower 32 bits in hexadecimal without leading zeros. Its texts do not sort: `9/0` is less than
 * `10/0`.
 * @throws Error for any other text
 */
export function parseWalPosition(lsn: string): WalPosition {
  const [, upper, lower] = LSN.exec(lsn) ?? []
  if (upper === undefined || lower === undefined) throw new Error(`${lsn} is no position in a log of PostgreSQL`)
  return (BigInt(`0x${upper}`) << 32n) | BigInt(`0x${lower}`)
}
