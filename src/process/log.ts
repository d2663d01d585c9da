import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * Headers contain credentials. Fastify plugins log whole requests at the level trace, for example before they read a multipart
 * body.
 */
const HEADERS = ['headers', '*.headers', '*.*.headers']

/** Returns the logger of a process. It writes JSON lines without request headers. */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, redact: HEADERS }
  return destination ? pino(options, destination) : pino(options)
}
