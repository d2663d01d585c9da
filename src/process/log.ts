import { type DestinationStream, type Logger, pino } from 'pino'

import { type FinishedStatement, statementName } from '../database/statement-usage.ts'

/** Headers contain credentials, and Fastify plugins log whole requests at the level trace. */
const HEADERS = ['headers', '*.headers', '*.*.headers']

export const openLog = (level: string, destination?: DestinationStream): Logger => pino({ level, redact: HEADERS }, destination)

/** The text of a statement has no values. */
export const logSlowStatements =
  (log: Logger, slow_ms: number) =>
  ({ text, duration_ms, request_id }: FinishedStatement): void => {
    if (duration_ms < slow_ms) return
    const statement = { statement: statementName(text), duration_ms: Math.round(duration_ms), text: text.slice(0, 2_000) }
    log.warn({ request_id, ...statement }, 'slow statement')
  }
