import type { FastifyInstance } from 'fastify'

import { type Database, sql } from '../../database/database.ts'
import { readFromOneServer, readFromPrimary } from '../../database/replicas.ts'
import { isRead } from '../request/hooks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The user that an anonymous request became by registration or login. */
    writerId: number | null
  }
}

/** Routes reads to a replica that has the caller's last write: its WAL position is stored before the response is sent (docs/adr/0008). */
export function addReadYourWrites(app: FastifyInstance, { db }: { readonly db: Pick<Database, 'execute' | 'readsMayLag'> }): void {
  app.decorateRequest('writerId', null)

  // The hook runs after the body is read, because socket events leave its AsyncLocalStorage context.
  app.addHook('preValidation', (request, _reply, done) =>
    isRead(request) ? readFromOneServer(done, request.viewer?.lastWriteLsn) : readFromPrimary(done),
  )
  if (!db.readsMayLag) return

  // A response that is repeated for an Idempotency-Key counts as a write: it may be the first one that the caller receives.
  app.addHook('onSend', async (request, reply) => {
    const writerId = request.writerId ?? request.viewer?.id
    if (writerId === undefined || isRead(request) || reply.statusCode >= 400) return
    await storeWritePosition(db, writerId).catch((error: unknown) =>
      request.log.warn(
        { err: error },
        'could not store the WAL position of a change: its author may read older data from a replica',
      ),
    )
  })
}

async function storeWritePosition(db: Pick<Database, 'execute'>, userId: number): Promise<void> {
  await db.execute(sql`
    INSERT INTO user_write_positions (user_id, wal_lsn)
    SELECT u.id, pg_current_wal_insert_lsn() FROM users u WHERE u.id = ${userId}
    ON CONFLICT (user_id) DO UPDATE SET wal_lsn = pg_current_wal_insert_lsn()`)
}
