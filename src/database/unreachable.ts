interface DatabaseError {
  readonly code?: string
  readonly message?: string
  readonly name?: string
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: AdapterCause } }
}

interface AdapterCause {
  readonly originalCode?: string
  readonly kind?: string
}

/** Returns false for a server that only refuses a statement. */
export function isUnreachable(error: unknown): boolean {
  const databaseError = error as DatabaseError
  const { originalCode, kind } = adapterCause(databaseError)
  return (
    [databaseError.code, originalCode].some((code) => CODES.test(code ?? '')) ||
    MESSAGES.test(databaseError.message ?? '') ||
    (kind !== undefined && KINDS.has(kind))
  )
}

/** Returns whether a statement (SQLSTATE 57014), a lock (55P03) or a transaction of Prisma's client (P2028) took too long. */
export function isTimeout(error: unknown): boolean {
  const databaseError = error as DatabaseError
  return [databaseError.code, adapterCause(databaseError).originalCode].some((code) => TIMEOUTS.test(code ?? ''))
}

/** Prisma's client wraps the adapter's error of a statement, but not of the start or end of a transaction. */
function adapterCause({ name, cause, meta }: DatabaseError): AdapterCause {
  return (name === 'DriverAdapterError' ? (cause as AdapterCause | undefined) : meta?.driverAdapterError?.cause) ?? {}
}

const CODES = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08|57P0|53|25006|P1001|P1002|P1008|P1017|P2024)/
const TIMEOUTS = /^(57014|55P03|P2028)$/
/** The driver has no codes for broken connections. */
const MESSAGES =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|Can't reach database server/
const KINDS: ReadonlySet<string> = new Set(['ConnectionClosed', 'DatabaseNotReachable', 'SocketTimeout', 'TooManyConnections'])
