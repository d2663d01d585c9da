import { sql } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { hashPassword, hashToken, newSecret, newToken } from '../../src/http/credentials.ts'
import { addSession } from '../../src/http/session-queries.ts'
import { inOwnDatabase, nameBeside } from './own-databases.ts'
import { startServer } from './server-process.ts'

/*
 * node test/bench/credentials.ts: what checking a credential adds to an answer that needs no database, in milliseconds, from the second
 * request on. It needs DATABASE_URL of a throw-away PostgreSQL database, beside which it makes one of its own and drops it again. The ways
 * take turns, so that none has the quieter machine.
 */
const REQUESTS = 1_000
const GOAL_MS = 1
const EMAIL = 'ada@example.org'
const PASSWORD = 'correct horse'
const say = (line: string) => process.stdout.write(`${line}\n`)

async function givenAda(db: PostgresDatabase): Promise<{ token: string; secret: string }> {
  const { id } = await db.prisma.user.create({ data: { name: 'Ada Park', password_hash: await hashPassword(PASSWORD) } })
  await db.prisma.email.create({ data: { user_id: id, email: EMAIL, confirmed_at: new Date() } })
  const [token, secret] = [newToken(), newSecret()]
  await db.prisma.token.create({ data: { user_id: id, token_hash: hashToken(token) } })
  await addSession(db, { id, credentialsVersion: 1 }, hashToken(secret))
  // As they are when the service has been in use: the planner knows the tables.
  await db.query(sql`ANALYZE`)
  return { token, secret }
}

async function measure(db: PostgresDatabase, databaseUrl: string): Promise<boolean> {
  await migrate(db)
  const { token, secret } = await givenAda(db)
  const server = await startServer(databaseUrl)
  const ways: Readonly<Record<string, Record<string, string>>> = {
    nobody: {},
    Basic: { authorization: `Basic ${Buffer.from(`${EMAIL}:${PASSWORD}`).toString('base64')}` },
    Bearer: { authorization: `Bearer ${token}` },
    cookie: { cookie: `fixpoint_session=${secret}`, 'sec-fetch-site': 'same-origin' },
  }
  const took = new Map(Object.keys(ways).map((way) => [way, [] as number[]]))
  const bare: number[] = []
  try {
    for (let turn = -1; turn < REQUESTS; turn++) {
      for (const [way, headers] of Object.entries(ways)) {
        const began = performance.now()
        const answer = await fetch(`${server.url}/api/v2/request_types/other`, { headers })
        await answer.arrayBuffer()
        if (answer.status !== 200) throw new Error(`${way}: the answer was ${answer.status}`)
        // The first one of each is the one that argon2 may take its time for.
        if (turn >= 0) took.get(way)?.push(performance.now() - began)
      }
      const began = performance.now()
      await db.query(sql`SELECT 1 AS one`)
      if (turn >= 0) bare.push(performance.now() - began)
    }
  } finally {
    await server.stop()
  }
  const sorted = (times: readonly number[] = []) => times.toSorted((a, b) => a - b)
  // On a machine that has other things to do the middle says how long its queue is; the quiet moments say what the work costs.
  const at = (share: number, times?: readonly number[]) => sorted(times)[Math.floor(REQUESTS * share)] ?? 0
  const line = (times?: readonly number[], less?: readonly number[]) =>
    [0.1, 0.5].map((share) => (at(share, times) - (less ? at(share, less) : 0)).toFixed(2).padStart(8)).join('')
  const nobody = took.get('nobody')
  say(`milliseconds of ${REQUESTS} requests     quiet  middle`)
  say(`an answer to nobody           ${line(nobody)}`)
  say(`a bare SELECT 1               ${line(bare)}`)
  for (const way of ['Basic', 'Bearer', 'cookie']) say(`${`${way} adds`.padEnd(30)}${line(took.get(way), nobody)}`)
  const reached = ['Basic', 'Bearer', 'cookie'].every((way) => at(0.1, took.get(way)) - at(0.1, nobody) <= GOAL_MS)
  say(`goal ≤ ${GOAL_MS} ms in quiet moments: ${reached ? 'reached' : 'missed'}`)
  return reached
}

const { DATABASE_URL } = process.env
if (!DATABASE_URL) {
  process.stderr.write('DATABASE_URL must name a throw-away PostgreSQL database, beside which another is made and dropped\n')
  process.exitCode = 1
} else {
  const db = openPostgres({ url: DATABASE_URL })
  try {
    const url = new URL(DATABASE_URL)
    url.pathname = `/${encodeURIComponent(nameBeside(DATABASE_URL, 'credentials'))}`
    const reached = await inOwnDatabase(db, DATABASE_URL, 'credentials', (own) => measure(own, url.href))
    process.exitCode = reached ? 0 : 1
  } finally {
    await db.close()
  }
}
