import { sql } from '../../../src/database/database.ts'
import { migrate } from '../../../src/database/migrate.ts'
import type { PostgresDatabase } from '../../../src/database/postgres.ts'
import { hashToken, newSecret, newToken } from '../../../src/http/identity/credentials.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { addSession } from '../../../src/http/identity/session-queries.ts'
import { withBenchDatabase, benchDatabaseName } from '../own-databases.ts'
import type { Goal } from '../report.ts'
import { startServer } from '../server-process.ts'

const REQUESTS = 600
const GOAL_MS = 1
const SUFFIX = 'credentials'
const EMAIL = 'ada@example.org'
const PASSWORD = 'correct horse'

async function createAda(db: PostgresDatabase): Promise<{ token: string; secret: string }> {
  const { id } = await db.prisma.user.create({ data: { name: 'Ada Park', password_hash: await hashPassword(PASSWORD) } })
  await db.prisma.emailAddress.create({ data: { user_id: id, email: EMAIL, confirmed_at: new Date() } })
  const [token, secret] = [newToken(), newSecret()]
  await db.prisma.token.create({ data: { user_id: id, token_hash: hashToken(token) } })
  await addSession(db, { id, credentialsVersion: 1 }, hashToken(secret))
  // The planner needs statistics, as in a service that has been in use.
  await db.execute(sql`ANALYZE`)
  return { token, secret }
}

export const credentialDatabases = (databaseUrl: string): string[] => [benchDatabaseName(databaseUrl, SUFFIX)]

/** Measures the milliseconds that a credential adds to a response without queries, in another database. The kinds alternate. */
export function measureCredentials(db: PostgresDatabase, databaseUrl: string, say: (line: string) => void): Promise<Goal[]> {
  return withBenchDatabase(db, databaseUrl, SUFFIX, async (own) => {
    await migrate(own)
    const { token, secret } = await createAda(own)
    const url = new URL(databaseUrl)
    url.pathname = `/${encodeURIComponent(benchDatabaseName(databaseUrl, SUFFIX))}`
    const server = await startServer(url.href)
    const ways: Ways = {
      anonymous: {},
      Basic: { authorization: `Basic ${Buffer.from(`${EMAIL}:${PASSWORD}`).toString('base64')}` },
      Bearer: { authorization: `Bearer ${token}` },
      cookie: { cookie: `fixpoint_session=${secret}`, 'sec-fetch-site': 'same-origin' },
    }
    try {
      return goalsOf(await timesOf(ways, server.url, own), say)
    } finally {
      await server.stop()
    }
  })
}

type Ways = Readonly<Record<string, Readonly<Record<string, string>>>>
/** Sorted milliseconds of each way. */
type Times = ReadonlyMap<string, readonly number[]>

const BARE = 'a bare SELECT 1'

async function timesOf(ways: Ways, url: string, db: PostgresDatabase): Promise<Times> {
  const took = new Map([...Object.keys(ways), BARE].map((way) => [way, [] as number[]]))
  // The first request of each kind runs argon2.
  for (let turn = -1; turn < REQUESTS; turn++) {
    const note = (way: string, began: number) => turn >= 0 && took.get(way)?.push(performance.now() - began)
    for (const [way, headers] of Object.entries(ways)) {
      const began = performance.now()
      const answer = await fetch(`${url}/api/v2/request_types/other`, { headers })
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`${way}: the answer was ${answer.status}`)
      note(way, began)
    }
    const began = performance.now()
    await db.execute(sql`SELECT 1 AS one`)
    note(BARE, began)
  }
  return new Map([...took].map(([way, times]) => [way, times.toSorted((a, b) => a - b)]))
}

/** The goal compares a low percentile, because the median includes other load on the machine. */
function goalsOf(times: Times, say: (line: string) => void): Goal[] {
  const at = (share: number, way: string) => times.get(way)?.[Math.floor(REQUESTS * share)] ?? 0
  const added = (share: number, way: string) => at(share, way) - at(share, 'anonymous')
  const line = (text: string, of: (share: number) => number) =>
    say(text.padEnd(38) + [0.1, 0.5].map((share) => of(share).toFixed(2).padStart(8)).join(''))

  say(`\n${`credentials, ms of ${REQUESTS} requests`.padEnd(38)}   quiet  median`)
  line('an anonymous response', (share) => at(share, 'anonymous'))
  line(BARE, (share) => at(share, BARE))
  return ['Basic', 'Bearer', 'cookie'].map((way) => {
    line(`${way} adds`, (share) => added(share, way))
    const median = added(0.5, way)
    return {
      text: `${way} adds ${median.toFixed(2)} ms on the median from the second request on, goal ≤ ${GOAL_MS} ms`,
      reached: median <= GOAL_MS,
    }
  })
}
