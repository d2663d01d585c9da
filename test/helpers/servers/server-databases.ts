import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** All databases of the suite on a server are named `fixpoint_test_<run>_<name>`. */
const PREFIX = 'fixpoint_test_'

export const createRunName = (): string => PREFIX + randomBytes(4).toString('hex')

export function databaseUrl(serverUrl: string, database: string): string {
  const address = new URL(serverUrl)
  address.pathname = `/${database}`
  return address.href
}

/** Runs one statement on the database of TEST_DATABASE_URL, on a new connection. */
export async function queryServer<Row extends pg.QueryResultRow>(
  serverUrl: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

/** Creates an empty database or a copy of `template` and returns its URL. `name` is not escaped. */
export async function createDatabase(serverUrl: string, name: string, template = 'template0'): Promise<string> {
  await queryServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  return databaseUrl(serverUrl, name)
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await queryServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

export async function dropDatabasesOfRun(serverUrl: string, run: string): Promise<void> {
  const names = await queryServer<{ datname: string }>(
    serverUrl,
    'SELECT d.datname FROM pg_database d WHERE starts_with(d.datname, $1)',
    [run],
  )
  for (const { datname } of names) await dropDatabase(serverUrl, datname)
}

/** Marks a run as alive by an advisory lock, which the server releases when the session ends, and drops the databases of dead runs. */
export async function registerRun(session: pg.Client, serverUrl: string, run: string): Promise<void> {
  await session.query('SELECT pg_advisory_lock(hashtext($1))', [run])
  const { rows } = await session.query<{ run: string }>(
    `SELECT DISTINCT substring(d.datname FROM '^${PREFIX}[0-9a-f]{8}') AS run FROM pg_database d WHERE d.datname ~ '^${PREFIX}[0-9a-f]{8}_'`,
  )
  for (const { run: other } of rows.filter((row) => row.run !== run)) {
    const { rows: tried } = await session.query<{ dead: boolean }>('SELECT pg_try_advisory_lock(hashtext($1)) AS dead', [other])
    if (!tried[0]?.dead) continue
    await dropDatabasesOfRun(serverUrl, other)
    await session.query('SELECT pg_advisory_unlock(hashtext($1))', [other])
  }
}
