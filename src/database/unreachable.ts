/** Whether a server could not be reached or is going away, as against a statement that it refused. */
export function isUnreachable(error: unknown): boolean {
  const { code, message, meta } = error as {
    code?: string
    message?: string
    meta?: { driverAdapterError?: { cause?: { originalCode?: string } } }
  }
  // What Prisma has no code of its own for it wraps, with the server's code inside.
  const codes = [code, meta?.driverAdapterError?.cause?.originalCode]
  return codes.some((one) => CODES.test(one ?? '')) || MESSAGES.test(message ?? '')
}

const CODES = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08|57P0|53[01]00|25006|P1001|P1002|P1008|P1017|P2024)/
/** The driver has no codes for a connection that broke, at the statement that met it and at those that follow on it. */
const MESSAGES =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|Can't reach database server/
