import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

import { migrate } from '../../../src/database/migrate.ts'
import type { PostgresDatabase } from '../../../src/database/postgres.ts'
import { importIssues } from '../../../src/imports/import-issues.ts'
import { withBenchDatabase, benchDatabaseName } from '../own-databases.ts'
import type { Goal } from '../report.ts'

const RATIO_MIN = 0.3

/** The columns that both ways load; COPY loads the rating that the import computes. */
const fileColumns = 'id, status, rating, summary, reporter_id, lat, lng, created_at, acknowledged_at, closed_at, updated_at'
const tableColumns = fileColumns.replace('rating', 'base_rating')

const suffixes = ['copy', 'import'] as const

export const importDatabases = (databaseUrl: string): string[] => suffixes.map((suffix) => benchDatabaseName(databaseUrl, suffix))

/** Compares an import into an empty database with a bare COPY of the same rows into another one, both with all indexes and triggers. */
export async function measureImport(db: PostgresDatabase, databaseUrl: string, say: (line: string) => void): Promise<Goal> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'))
  const file = join(folder, 'issues.csv')
  try {
    const rows = await writeCsv(db, file)
    const bare = await inFreshDatabase(db, databaseUrl, 'copy', (fresh) => bareCopy(fresh, file))
    const imported = await inFreshDatabase(db, databaseUrl, 'import', async (fresh) => {
      const began = performance.now()
      const report = await importIssues(fresh, { path: file })
      if (report.imported !== rows) throw new Error(`Of ${rows} rows only ${report.imported} were imported.`)
      return (performance.now() - began) / 1_000
    })
    say(
      `import of ${rows} rows: ${imported.toFixed(0)} s (${(rows / imported).toFixed(0)} rows/s), bare COPY ${bare.toFixed(0)} s (${(rows / bare).toFixed(0)} rows/s)`,
    )
    return {
      text: `import is ${(bare / imported).toFixed(2)} of a bare COPY, goal ≥ ${RATIO_MIN}`,
      reached: bare / imported >= RATIO_MIN,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function writeCsv(db: PostgresDatabase, file: string): Promise<number> {
  const client = await db.pool.connect()
  try {
    const iso = (column: string) => `to_char(i.${column}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS ${column}`
    const query = `SELECT i.id, i.status, i.rating, i.summary, i.reporter_id, i.lat, i.lng,
      ${iso('created_at')}, ${iso('acknowledged_at')}, ${iso('closed_at')}, ${iso('updated_at')} FROM issues i ORDER BY i.id`
    await pipeline(client.query(copyTo(`COPY (${query}) TO STDOUT (FORMAT csv, HEADER)`)), createWriteStream(file))
    const { rows } = await client.query<{ count: number }>('SELECT count(*)::integer AS count FROM issues')
    return rows[0]?.count ?? 0
  } finally {
    client.release()
  }
}

async function bareCopy(fresh: PostgresDatabase, file: string): Promise<number> {
  await fresh.executeScript(`INSERT INTO users (id, name) SELECT n, 'Resident ' || n FROM generate_series(1, 20000) n`)
  const client = await fresh.pool.connect()
  try {
    await client.query('SET statement_timeout = 0')
    const began = performance.now()
    await pipeline(createReadStream(file), client.query(copyFrom(`COPY issues (${tableColumns}) FROM STDIN (FORMAT csv, HEADER)`)))
    return (performance.now() - began) / 1_000
  } finally {
    client.release()
  }
}

const inFreshDatabase = <Result>(
  db: PostgresDatabase,
  databaseUrl: string,
  suffix: (typeof suffixes)[number],
  work: (fresh: PostgresDatabase) => Promise<Result>,
): Promise<Result> =>
  withBenchDatabase(db, databaseUrl, suffix, async (fresh) => {
    await migrate(fresh)
    return work(fresh)
  })
