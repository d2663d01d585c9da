import type { Logger } from 'pino'

import type { Config } from '../config.ts'
import type { FinishedStatement } from '../database/statement-usage.ts'
import { logSlowStatements } from './log.ts'

/**
 * Logs slow statements, and sends spans if OTEL_EXPORTER_OTLP_ENDPOINT is set. Else nothing of OpenTelemetry is loaded. Call it before the app is built.
 * Its `telemetry` gives jobs the trace of the request that queued them.
 */
export async function observeProcess({ otlpEndpoint, tracesRatio, slowStatementMs }: Config, log: Logger, service: string) {
  const logStatement = logSlowStatements(log, slowStatementMs)
  const tracing =
    otlpEndpoint === undefined ? undefined : (await import('./tracing.ts')).openTracing(otlpEndpoint, service, tracesRatio)
  return {
    ...tracing,
    close: async () => tracing?.close(),
    onStatement(statement: FinishedStatement) {
      logStatement(statement)
      tracing?.onStatement(statement)
    },
  }
}
