import type { FastifyBaseLogger } from 'fastify'

import type { Queryable, Sql, Query } from '../../database/database.ts'

/**
 * The reader itself; where the log is at `debug`, one that logs the text of each statement, without its values, in as few lines as it fits: whoever looks for a slow
 * list finds what it asked.
 */
export function loggingReader(reader: Queryable, log: FastifyBaseLogger): Queryable {
  if (log.level !== 'debug' && log.level !== 'trace') return reader
  const query = (...args: Parameters<Query>) => {
    const statement = args.at(-1) as Sql
    log.debug({ sql: statement.text.replaceAll(/\s+/g, ' ').trim() }, 'a statement of a list')
    return reader.query(...args)
  }
  return { query: query }
}
