import type { FastifyInstance } from 'fastify'

import { type Database, sql } from '../../database/database.ts'
import { onOneReplica, onPrimary } from '../../database/replicas.ts'
import { isRead } from '../request/same-origin.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose change this is, where they were nobody yet when they asked: who has just registered or logged in. */
    writer: number | null
  }
}

/**
 * Reads go to replicas, which may be behind, but never behind what their caller changed (docs/adr/0034): where the log of the primary stands
 * is noted before a change is answered, and who asks is looked up together with it. Requests that may change something read the
 * primary alone.
 */
export function addReadYourWrites(app: FastifyInstance, { db }: { readonly db: Pick<Database, 'query' | 'readsMayLag'> }): void {
  app.decorateRequest('writer', null)

  // Not before the body is read, since what comes from the socket is outside of this again.
  app.addHook('preValidation', (request, _reply, done) =>
    isRead(request) ? onOneReplica(done, request.viewer?.wroteUpTo) : onPrimary(done),
  )
  if (!db.readsMayLag) return

  // An answer that is given again for its Idempotency-Key may be the first one that its caller gets, so it is noted too.
  app.addHook('onSend', async (request, reply) => {
    const writer = request.writer ?? request.viewer?.id
    if (writer === undefined || isRead(request) || reply.statusCode >= 400) return
    await noteWrite(db, writer).catch((error: unknown) =>
      request.log.warn({ err: error }, 'it was not noted where the log stands after a change: its author may read behind it'),
    )
  })
}

/**
 * A position is taken while the row is locked, so that of two at one moment the later one stays. A smaller one than before is right as
 * well: it is that of another server, whose log begins anew.
 */
async function noteWrite(db: Pick<Database, 'query'>, userId: number): Promise<void> {
  await db.query(sql`
    INSERT INTO caller_writes (user_id, wal_lsn)
    SELECT u.id, pg_current_wal_insert_lsn() FROM users u WHERE u.id = ${userId}
    ON CONFLICT (user_id) DO UPDATE SET wal_lsn = pg_current_wal_insert_lsn()
    RETURNING user_id`)
}
