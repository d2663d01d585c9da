/** How far a log of PostgreSQL (WAL) goes, in bytes from its very beginning. */
export type WalPosition = bigint

const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i

/**
 * Of a pg_lsn as the database writes it: the upper and the lower 32 bits, in hexadecimal digits without leading zeros. Such texts have
 * no order of their own: `9/0` stands before `10/0`.
 * @throws Error where it is none
 */
export function walPosition(lsn: string): WalPosition {
  const [, upper, lower] = LSN.exec(lsn) ?? []
  if (upper === undefined || lower === undefined) throw new Error(`${lsn} is no position in a log of PostgreSQL`)
  return (BigInt(`0x${upper}`) << 32n) | BigInt(`0x${lower}`)
}
