import { raw, sql } from '../../src/database/database.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** The benchmark drops only databases with this comment. */
const MARK = 'created by npm run bench of Fixpoint, which drops it'

const quoted = (text: string, mark: string) => raw(`${mark}${text.replaceAll(mark, mark + mark)}${mark}`)

export const benchDatabaseName = (databaseUrl: string, suffix: string): string =>
  `${decodeURIComponent(new URL(databaseUrl).pathname.slice(1))}_${suffix}`

export function benchDatabaseUrl(databaseUrl: string, suffix: string): string {
  const url = new URL(databaseUrl)
  url.pathname = `/${encodeURIComponent(benchDatabaseName(databaseUrl, suffix))}`
  return url.href
}

/** @throws Error that names existing databases which the benchmark did not create */
export async function refuseForeignDatabases(db: PostgresDatabase, names: readonly string[]): Promise<void> {
  const others = await queryRows<{ name: string }>(
    db,
    sql`
    SELECT d.datname AS name FROM pg_database d
    WHERE d.datname = ANY (${names}::text[]) AND shobj_description(d.oid, 'pg_database') IS DISTINCT FROM ${MARK}
    ORDER BY d.datname`,
  )
  if (others.length === 0) return
  throw new Error(
    `The benchmark creates databases named ${names.join(' and ')}, but ${others.map(({ name }) => name).join(' and ')} exists and is not from the benchmark. ` +
      `Rename the existing database, or set DATABASE_URL to a database of another name.`,
  )
}

/** Runs `work` on a new, empty database on the same server and drops it. */
export async function withBenchDatabase<Result>(
  db: PostgresDatabase,
  databaseUrl: string,
  suffix: string,
  work: (own: PostgresDatabase) => Promise<Result>,
): Promise<Result> {
  const name = benchDatabaseName(databaseUrl, suffix)
  const identifier = quoted(name, '"')
  const drop = () => queryRows(db, sql`DROP DATABASE IF EXISTS ${identifier} WITH (FORCE)`)
  await refuseForeignDatabases(db, [name])
  await drop()
  await db.execute(sql`CREATE DATABASE ${identifier}`)
  await db.execute(sql`COMMENT ON DATABASE ${identifier} IS ${quoted(MARK, "'")}`)
  const own = openPostgres({ url: benchDatabaseUrl(databaseUrl, suffix) })
  try {
    return await work(own)
  } finally {
    await own.close()
    await drop()
  }
}
