import { type DestinationStream, type Logger, pino } from 'pino'

/** Headers contain credentials, and Fastify plugins log whole requests at the level trace. */
const HEADERS = ['headers', '*.headers', '*.*.headers']

export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, redact: HEADERS }
  return destination ? pino(options, destination) : pino(options)
}
