interface Fault {
  readonly code?: string
  readonly message?: string
  readonly name?: string
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: AdapterCause } }
}

interface AdapterCause {
  /** Of the server. */
  readonly originalCode?: string
  readonly kind?: string
}

/** Whether a server could not be reached or is going away, as against a statement that it refused. */
export function isUnreachable(error: unknown): boolean {
  const fault = error as Fault
  const { originalCode, kind } = adapterCauseOf(fault)
  return (
    [fault.code, originalCode].some((code) => CODES.test(code ?? '')) ||
    MESSAGES.test(fault.message ?? '') ||
    (kind !== undefined && KINDS.has(kind))
  )
}

/** What Prisma's adapter met: wrapped by the client around a statement, bare where a transaction begins or ends. */
function adapterCauseOf({ name, cause, meta }: Fault): AdapterCause {
  return (name === 'DriverAdapterError' ? (cause as AdapterCause | undefined) : meta?.driverAdapterError?.cause) ?? {}
}

const CODES = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08|57P0|53[01]00|25006|P1001|P1002|P1008|P1017|P2024)/
/** The driver has no codes for a connection that broke, at the statement that met it and at those that follow on it. */
const MESSAGES =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|Can't reach database server/
const KINDS: ReadonlySet<string> = new Set(['ConnectionClosed', 'DatabaseNotReachable', 'SocketTimeout', 'TooManyConnections'])
