import { readFileSync } from 'node:fs'
import pg from 'pg'

import { sql } from '../../../src/database/database.ts'
import { loadSpeed } from '../measure.ts'
import { median } from '../median.ts'
import { benchDatabaseName, benchDatabaseUrl, withBenchDatabase } from '../own-databases.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'
import { startServer } from '../server-process.ts'
import { fillForWriters } from './writers.ts'

const TURNS = 9
const PAGE_SECONDS = 3
/** Turns of votes are many and short, because the speed of the machine changes. */
const VOTE_TURNS = 60
const VOTES = 200
const PERCENT_MAX = 3
const suffixes = ['changes', 'no_changes'] as const

export const changesDatabases = (databaseUrl: string): string[] => suffixes.map((suffix) => benchDatabaseName(databaseUrl, suffix))

/** Compares pages of `GET /changes` with those of `GET /issues` of the same filter, and the processor time of a vote with and without the log for clients. */
export async function measureChanges(bench: Bench): Promise<Goal[]> {
  await comparePages(bench)
  return [await compareVotes(bench)]
}

async function comparePages({ databaseUrl, cities, connections, say, db }: Bench): Promise<void> {
  const server = await startServer(databaseUrl)
  const filters = cities.slice(0, 50).map(({ id }) => `place_url=city-${id}`)
  const cursors = await Promise.all(
    filters.map(async (filter) => {
      const response = await fetch(`${server.url}/api/v2/changes?${filter}`, { headers: { 'user-agent': 'fixpoint-bench' } })
      return ((await response.json()) as { next_since: string }).next_since
    }),
  )
  try {
    await db.executeScript('UPDATE issues SET base_rating = base_rating + 1 WHERE id % 20 = 0')
    const sides = [
      filters.map((filter, n) => ({ path: `/api/v2/changes?${filter}&since=${cursors[n]}&per_page=20` })),
      filters.map((filter) => ({ path: `/api/v2/issues?${filter}&per_page=20` })),
    ]
    const speeds: [number[], number[]] = [[], []]
    for (let turn = 0; turn <= TURNS; turn++)
      for (const side of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const requests = sides[side] ?? []
        const { perSecond } = await loadSpeed({
          ...server,
          connections,
          seconds: PAGE_SECONDS,
          requests,
          areNew: true,
          status: 200,
        })
        // The first turn compiles the code.
        if (turn > 0) speeds[side].push(perSecond)
      }
    const [changes, issues] = speeds.map(median) as [number, number]
    say(
      `pages of 20 of GET /changes: ${changes.toFixed(0)}/s, of GET /issues of the same place: ${issues.toFixed(0)}/s: ${(changes / issues).toFixed(2)} of them`,
    )
  } finally {
    await server.stop()
  }
}

/** Without the log for clients, changes are not stored in the order of commits: the columns of `issue_changes` that only clients read are gone. */
const WITHOUT_LOG = `
  CREATE OR REPLACE FUNCTION revise_issue(revised_id integer, is_public boolean) RETURNS void LANGUAGE sql AS $$
    WITH revised AS (
      UPDATE issues i
      SET all_changes_revision = i.all_changes_revision + 1,
        public_revision = i.public_revision + (is_public AND i.moderation_state = 'passed')::integer
      WHERE i.id = revised_id
      RETURNING i.cell, CASE WHEN i.moderation_state = 'passed' THEN i.status END AS status)
    INSERT INTO issue_changes (cell, former_status, status, revised) SELECT r.cell, r.status, r.status, is_public FROM revised r
  $$;
  DROP VIEW public_issue_changes CASCADE;
  ALTER TABLE issue_changes DROP COLUMN issue_id, DROP COLUMN xid, DROP COLUMN keeps_filters, DROP COLUMN changed_at;`

/** The statement of a vote (src/votes/vote.ts), with the columns of the log for clients or without them. */
const voteStatement = (hasLog: boolean) => `
  WITH vote AS (INSERT INTO votes (user_id, issue_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING votes.issue_id, votes.user_id),
  issue AS (
    UPDATE issues i SET vote_count = i.vote_count + 1, all_changes_revision = i.all_changes_revision + 1, public_revision = i.public_revision + 1
      ${hasLog ? ', changed_at = clock_timestamp()' : ''}
    FROM vote WHERE i.id = vote.issue_id RETURNING i.id, i.cell, i.status, vote.user_id),
  log AS (
    INSERT INTO issue_changes (cell, former_status, status, revised ${hasLog ? ', issue_id, keeps_filters' : ''})
    SELECT issue.cell, issue.status, issue.status, TRUE ${hasLog ? ', issue.id, TRUE' : ''} FROM issue),
  actor AS (
    UPDATE users u SET civic_points = u.civic_points + 5, revision = u.revision + 1, summary_revision = u.summary_revision + 1
    FROM issue WHERE u.id = issue.user_id)
  INSERT INTO events (type, subject_type, subject_id, actor_id, payload)
  SELECT 'issue.voted', 'issue', issue.id, issue.user_id, '{}'::jsonb FROM issue`

/** Returns the milliseconds of processor time of the database for a vote (Linux). Both databases get the same votes. */
async function votes(client: pg.Client, hasLog: boolean, votesCast: number): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const used = () => Number(readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  const before = used()
  for (let n = votesCast; n < votesCast + VOTES; n++)
    await client.query({ name: 'vote', text: voteStatement(hasLog), values: [1 + (n % 20_000), 1 + (n % 49_999)] })
  return (used() - before) / VOTES
}

async function compareVotes({ db, databaseUrl, say }: Bench): Promise<Goal> {
  const [withLog, without] = suffixes
  return withBenchDatabase(db, databaseUrl, withLog, (own) =>
    withBenchDatabase(db, databaseUrl, without, async (bare) => {
      await fillForWriters(own)
      await fillForWriters(bare)
      await bare.executeScript(WITHOUT_LOG)
      for (const each of [own, bare]) await each.execute(sql`VACUUM (ANALYZE)`)
      const clients = suffixes.map((suffix) => new pg.Client(benchDatabaseUrl(databaseUrl, suffix)))
      for (const client of clients) await client.connect()
      try {
        const times: [number[], number[]] = [[], []]
        for (let turn = 0; turn <= VOTE_TURNS; turn++)
          for (const side of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
            const client = clients[side]
            const used = client ? await votes(client, side === 0, turn * VOTES) : 0
            if (turn > 0) times[side].push(used)
          }
        const [own_ms, bare_ms] = times.map(median) as [number, number]
        const percent = 100 * (own_ms / bare_ms - 1)
        say(
          `a vote: ${own_ms.toFixed(3)} ms of processor time of the database, ${bare_ms.toFixed(3)} ms without the log for clients`,
        )
        return {
          text: `the log of changes costs ${percent.toFixed(1)} % of a vote, goal ≤ ${PERCENT_MAX} %`,
          reached: percent <= PERCENT_MAX,
        }
      } finally {
        for (const client of clients) await client.end()
      }
    }),
  )
}
