import type { FastifyBaseLogger } from 'fastify'

import type { Database, Queryable, Sql } from '../../database/database.ts'
import type { Query } from '../../database/rows.ts'

/**
 * Reads from where lists are read, and logs the text of each statement at `debug`, without its values, in as few lines as it fits: whoever looks for a slow
 * list finds what it asked.
 */
export function loggingReader(db: Pick<Database, 'read'>, log: FastifyBaseLogger): Queryable {
  if (log.level !== 'debug' && log.level !== 'trace') return { query: db.read }
  const query = (...args: Parameters<Query>) => {
    const statement = args.at(-1) as Sql
    log.debug({ sql: statement.text.replaceAll(/\s+/g, ' ').trim() }, 'a statement of a list')
    return db.read(...args)
  }
  return { query: query }
}
