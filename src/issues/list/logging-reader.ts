import type { FastifyBaseLogger } from 'fastify'

import type { Query, Queryable } from '../../database/database.ts'

/** Logs the text of each statement, without values, at log level `debug`, for the analysis of slow lists. */
export function loggingReader(reader: Queryable, log: FastifyBaseLogger): Queryable {
  if (log.level !== 'debug' && log.level !== 'trace') return reader
  const query: Query = (schema, statement) => {
    log.debug({ sql: statement.text.trim() }, 'SQL statement of an issue list')
    return reader.query(schema, statement)
  }
  return { query }
}
