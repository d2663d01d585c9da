/** Position in the write-ahead log (WAL) in bytes. */
export type WalPosition = bigint

const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i

/** Texts of pg_lsn do not sort: `9/0` is less than `10/0`. @throws Error for an invalid text */
export function parseWalPosition(lsn: string): WalPosition {
  const [, upper, lower] = LSN.exec(lsn) ?? []
  if (upper === undefined || lower === undefined) throw new Error(`${lsn} is not a pg_lsn`)
  return (BigInt(`0x${upper}`) << 32n) | BigInt(`0x${lower}`)
}
