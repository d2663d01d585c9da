import type { Queryable } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { findOwnArea, type OwnRow } from '../../watch-areas/own-queries.ts'

/** @throws Problem 404 if the viewer has no such watch area */
export async function readOwnArea(db: Queryable, id: number, viewer: Viewer | null): Promise<OwnRow> {
  const row = viewer ? await findOwnArea(db, { id, user_id: viewer.id }) : undefined
  if (!row) throw problems.notFound('the_watch_area')
  return row
}
