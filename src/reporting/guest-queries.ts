import Type from 'typebox'

import { Count } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import type { Author } from '../content-policy/author-queries.ts'
import { DUPLICATE_WINDOW_S } from '../content-policy/policy.ts'

const LOCK = 'fixpoint guest reports'

const CountRow = Type.Object({ duplicate_count: Count })

/** Locks reports of guests and counts the same texts of all guests in the last hour. A guest has the rights of a new account. */
export async function lockGuests(tx: Transaction, { text, now }: { readonly text: string; readonly now: Date }): Promise<Author> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${LOCK}))`)
  const [row] = await tx.query(
    CountRow,
    sql`
      SELECT count(*)::integer AS duplicate_count FROM issues i
      WHERE i.reporter_id IS NULL AND i.imported_at IS NULL
        AND i.created_at > ${now.toISOString()}::timestamptz - make_interval(secs => ${DUPLICATE_WINDOW_S})
        AND comparable_text(concat(i.summary, i.description)) = comparable_text(${text})`,
  )
  return { created_at: now.toISOString(), locale: 'en', duplicate_count: row?.duplicate_count ?? 0 }
}
