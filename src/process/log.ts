import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * Headers carry credentials. Fastify's own lines hold no request (request-log.ts writes ours), but its plugins have lines of theirs at
 * the most talkative level, such as the one on how a multipart body is about to be read.
 */
const HEADERS = ['headers', '*.headers', '*.*.headers']

/** The log of a process: JSON, a line for each thing that happened, without any header of a request. */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, redact: HEADERS }
  return destination ? pino(options, destination) : pino(options)
}
