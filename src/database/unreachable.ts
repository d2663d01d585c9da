/** Whether a server could not be reached or is going away, as against a statement that it refused. */
export function isUnreachable(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08|57P0|53[01]00|25006|P1001|P1002|P1008|P1017|P2024)/.test(
      code ?? '',
    ) ||
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Can't reach database server/.test(
      message ?? '',
    )
  )
}
