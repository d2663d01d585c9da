import { type Database, sql } from '../../src/database/database.ts'
import { queryRows } from '../helpers/query-rows.ts'

export async function readIndexScans(db: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await queryRows<{ name: string; scans: number }>(
    db,
    sql`
    SELECT s.indexrelname AS name, s.idx_scan::integer AS scans FROM pg_stat_user_indexes s
    WHERE s.relname = 'issues' ORDER BY s.indexrelname`,
  )
  return new Map(rows.map(({ name, scans }) => [name, scans]))
}

export const findUnused = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] =>
  [...after].filter(([name, scans]) => scans === (before.get(name) ?? 0)).map(([name]) => name)
