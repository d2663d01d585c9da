import type { FastifyInstance } from 'fastify'

import { type Database, sql } from '../../database/database.ts'
import { onOneReplica, onPrimary } from '../../database/replicas.ts'
import { isRead } from '../request/same-origin.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The user that an anonymous request became by registration or login. */
    writerId: number | null
  }
}

/**
 * Routes reads to a replica that has the caller's last write (docs/adr/0008). The WAL position of the primary is stored before a
 * change is answered and is read together with the caller. Requests that may write read from the primary only.
 */
export function addReadYourWrites(app: FastifyInstance, { db }: { readonly db: Pick<Database, 'execute' | 'readsMayLag'> }): void {
  app.decorateRequest('writerId', null)

  // The hook runs after the body is read, because socket events leave its AsyncLocalStorage context.
  app.addHook('preValidation', (request, _reply, done) =>
    isRead(request) ? onOneReplica(done, request.viewer?.lastWriteLsn) : onPrimary(done),
  )
  if (!db.readsMayLag) return

  // A replayed answer is noted as well: it may be the first answer that its caller receives.
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
    INSERT INTO caller_writes (user_id, wal_lsn)
    SELECT u.id, pg_current_wal_insert_lsn() FROM users u WHERE u.id = ${userId}
    ON CONFLICT (user_id) DO UPDATE SET wal_lsn = pg_current_wal_insert_lsn()`)
}
