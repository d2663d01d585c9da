const SQLITE_FULL = 13
/** libvips and PostgreSQL have the text of the system only inside their own. */
const systemTexts = /No space left on device|Disk quota exceeded/

/** Returns true for an error of a write to a full disk, of Node, SQLite, libvips or PostgreSQL. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode, message, cause } = error as NodeJS.ErrnoException & { readonly errcode?: number }
  return code === 'ENOSPC' || code === 'EDQUOT' || errcode === SQLITE_FULL || systemTexts.test(message) || isDiskFull(cause)
}

const filesTexts = /Too many open files|\bEMFILE\b/

/** Returns true for the error of a process or a system that cannot open another file or connection, of Node, libvips or Prisma's client. */
export function isOutOfFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, message, cause } = error as NodeJS.ErrnoException
  return code === 'EMFILE' || code === 'ENFILE' || filesTexts.test(message) || isOutOfFiles(cause)
}
