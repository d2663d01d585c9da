import { sql, type Transaction } from '../database/database.ts'
import { centreOf } from '../geo/box.ts'
import { type Frequency, nextDigestAt } from './digest-times.ts'
import { watchedColumns } from './queries.ts'
import { areaOfRow, type WatchedRow } from './stored-area.ts'

export interface OfWatchArea {
  readonly user_id: number
  readonly watch_area_id: number
}

/** No more mails of an area; how often they came is remembered. Again, it is the same. */
export async function stopWatchMails(tx: Transaction, { user_id, watch_area_id }: OfWatchArea): Promise<void> {
  await tx.query(sql`
    UPDATE watch_areas w SET frequency_before = w.frequency, frequency = 'never', next_digest_at = NULL, updated_at = now()
    WHERE w.id = ${watch_area_id} AND w.user_id = ${user_id} AND w.frequency <> 'never' RETURNING w.id`)
}

/** Takes that back: mails come as often as before. What was still to be told then is told by the next digest. */
export async function resumeWatchMails(tx: Transaction, { user_id, watch_area_id }: OfWatchArea, at: Date): Promise<void> {
  const [stopped] = await tx.query<WatchedRow & { readonly before: Exclude<Frequency, 'never'> }>(sql`
    SELECT w.id, coalesce(w.frequency_before, 'instant') AS before, ${watchedColumns}
    FROM watch_areas w LEFT JOIN places p ON p.id = w.place_id
    WHERE w.id = ${watch_area_id} AND w.user_id = ${user_id} AND w.frequency = 'never'
    FOR NO KEY UPDATE OF w`)
  if (!stopped) return
  const area = areaOfRow(stopped)
  const { lng } = area.kind === 'box' ? centreOf(area.box) : 'centre' in area ? area.centre : { lng: 0 }
  const next = nextDigestAt({ frequency: stopped.before, at, lng })
  await tx.query(sql`
    UPDATE watch_areas w SET frequency = ${stopped.before}, frequency_before = NULL, next_digest_at = ${next?.toISOString() ?? null}::timestamptz,
      updated_at = now()
    WHERE w.id = ${watch_area_id} RETURNING w.id`)
}
