import Type from 'typebox'

import { stringEnum } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import { boxCentre } from '../geo/box.ts'
import { nextDigestAt } from './digest-times.ts'
import { storedAreaColumns } from './queries.ts'
import { rowToArea, StoredAreaRow } from './stored-area.ts'

export interface WatchAreaSubscription {
  readonly user_id: number
  readonly watch_area_id: number
}

/** Stops the mails of an area. Idempotent. */
export async function stopWatchNotifications(tx: Transaction, { user_id, watch_area_id }: WatchAreaSubscription): Promise<void> {
  await tx.execute(sql`
    UPDATE watch_areas w SET frequency_before = w.frequency, frequency = 'never', next_digest_at = NULL, updated_at = now()
    WHERE w.id = ${watch_area_id} AND w.user_id = ${user_id} AND w.frequency <> 'never'`)
}

const StoppedAreaRow = Type.Object({ ...StoredAreaRow.properties, previous_frequency: stringEnum(['instant', 'daily', 'weekly']) })

/** Restores the previous frequency. Mails that were pending go into the next digest. */
export async function resumeWatchNotifications(
  tx: Transaction,
  { user_id, watch_area_id }: WatchAreaSubscription,
  at: Date,
): Promise<void> {
  const [stopped] = await tx.query(sql.type(StoppedAreaRow)`
    SELECT w.id, coalesce(w.frequency_before, 'instant') AS previous_frequency, ${storedAreaColumns}
    FROM watch_areas w
    LEFT JOIN places p ON p.id = w.place_id
    WHERE w.id = ${watch_area_id} AND w.user_id = ${user_id} AND w.frequency = 'never'
    FOR NO KEY UPDATE OF w`)
  if (!stopped) return
  const area = rowToArea(stopped)
  const { lng } = area.kind === 'box' ? boxCentre(area.box) : 'centre' in area ? area.centre : { lng: 0 }
  const dueAt = nextDigestAt({ frequency: stopped.previous_frequency, at, lng })
  await tx.prisma.watchArea.updateMany({
    where: { id: watch_area_id },
    data: { frequency: stopped.previous_frequency, frequency_before: null, next_digest_at: dueAt ?? null, updated_at: at },
  })
}
