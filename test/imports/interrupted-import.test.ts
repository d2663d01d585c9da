import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/connect.ts'
import { sql, type Database } from '../../src/database/database.ts'
import { importIssues } from '../../src/imports/import-issues.ts'
import { createTestDatabase, engine, openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { runNode, startNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { csv, writeTemporaryFile } from './files.ts'
import { queryRows } from '../helpers/query-rows.ts'

const rowsFrom1To = (count: number) =>
  csv(
    'id,summary,lat,lng,reporter_id',
    ...Array.from({ length: count }, (_, n) => `${n + 1},Number ${n + 1},33.75,-84.39,${n % 90}`),
  )
const SMALL = { rows: 10, characters: 1_000_000 }

const countIssues = async (database: Database) =>
  (await queryRows<{ count: number }>(database, sql`SELECT count(*) AS count FROM issues i`))[0]?.count ?? NaN

describe('an interrupted import', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.close())
  beforeEach(() => resetDatabase(database))

  it('commits only whole batches if the database fails, and a second run adds the rest', async () => {
    const path = writeTemporaryFile('a.csv', rowsFrom1To(35))
    await database.execute(sql`ALTER TABLE issues ADD CONSTRAINT fails CHECK (1 / (id - 25) IS NOT NULL)`)
    const failing: Database = {
      ...database,
      // An error of a row rejects the row; an error of the connection ends the import.
      bulk: (work) => database.bulk(work).catch(() => Promise.reject(new Error('the connection is closed'))),
    }

    const failed = importIssues(failing, { path, batch: SMALL })

    await expect(failed).rejects.toThrow('the connection is closed')
    await database.execute(sql`ALTER TABLE issues DROP CONSTRAINT fails`)
    expect(await countIssues(database)).toBe(20)
    expect(await importIssues(database, { path, batch: SMALL })).toMatchObject({ rows: 35, imported: 15, unchanged: 20 })
  })

  it('stops after the current batch if its signal is aborted', async () => {
    const path = writeTemporaryFile('a.csv', rowsFrom1To(35))
    const stopping = new AbortController()

    const report = await importIssues(database, { path, batch: SMALL, signal: stopping.signal, onProgress: () => stopping.abort() })

    expect(report).toMatchObject({ rows: 10, imported: 10, stopped: true })
    expect(await countIssues(database)).toBe(10)
  })

  it('imports the features before the end of a truncated file', async () => {
    const feature = (id: number) => ({
      type: 'Feature',
      id,
      properties: { summary: 'a' },
      geometry: { type: 'Point', coordinates: [0, 0] },
    })
    const whole = JSON.stringify({ features: [1, 2, 3].map(feature) })

    const broken = importIssues(database, { path: writeTemporaryFile('a.geojson', whole.slice(0, -9)) })

    await expect(broken).rejects.toThrow(/^The GeoJSON is invalid after feature 2/)
    expect(await countIssues(database)).toBe(2)
  })

  it('runs concurrently with imports of the same file without errors', async () => {
    const path = writeTemporaryFile('a.csv', rowsFrom1To(200))
    const failures: unknown[] = []
    const watched: Database = {
      ...database,
      bulk: (work) =>
        database.bulk(work).catch((error: unknown) => {
          failures.push(error)
          throw error
        }),
    }

    const reports = await Promise.all([1, 2, 3].map(() => importIssues(watched, { path, batch: SMALL })))

    const sum = (name: 'imported' | 'unchanged') => reports.reduce((total, report) => total + report[name], 0)
    expect({ imported: sum('imported'), unchanged: sum('unchanged') }).toEqual({ imported: 200, unchanged: 400 })
    expect(await countIssues(database)).toBe(200)
    expect(failures).toEqual([])
  })

  it('retries a batch after a conflict with another transaction', async () => {
    const path = writeTemporaryFile('a.csv', rowsFrom1To(5))
    const failures = ['40P01', '40001', '23505']
    const contested: Database = {
      ...database,
      bulk: (work) =>
        database.bulk(async (session) => {
          const result = await work(session)
          const code = result === undefined ? undefined : failures.pop()
          if (code !== undefined) throw Object.assign(new Error('in the way'), { code })
          return result
        }),
    }

    expect(await importIssues(contested, { path })).toMatchObject({ rows: 5, imported: 5 })
    expect(failures).toEqual([])
  })
})

describe('npm run import', () => {
  // The batches are transactions on both engines, and a process on the embedded one takes ten times as long to start.
  it.runIf(engine === 'server')(
    'completes an import after one run was stopped with Ctrl+C and one was killed',
    async () => {
      const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '', inject('template'))
      const env = { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1' }
      const path = writeTemporaryFile('many.csv', rowsFrom1To(12_000))
      const begin = async () => {
        const process = startNode('src/cli/import.ts', ['issues', path], env)
        await new Promise<void>((resolve) => {
          process.child.stderr?.on('data', (chunk: Buffer) => {
            if (chunk.toString().includes('Importing')) resolve()
          })
        })
        return process
      }
      const stopped = await begin()
      stopped.child.kill('SIGINT')
      const { code, stdout, stderr } = await stopped.ended
      const killed = await begin()
      await wait(1_000)
      killed.child.kill('SIGKILL')
      await killed.ended

      const next = await runNode('src/cli/import.ts', ['issues', path], env)

      expect(code).toBe(1)
      expect(stderr).toContain('Stopping after this batch …')
      expect(stdout).toMatch(/^Stopped: .*\nRun the same command again to continue\.\n$/)
      const [, imported, unchanged] = /^Done: ([\d,]+) issues imported, ([\d,]+) unchanged, 0 rejected/.exec(next.stdout) ?? []
      const number = (text = '') => Number(text.replaceAll(',', ''))
      expect(number(imported) + number(unchanged)).toBe(12_000)
      expect([0, 5_000, 10_000, 12_000]).toContain(number(unchanged))
      const { database } = await connect(readConfig(env), { activity: 'a test', say: () => {} })
      expect(await countIssues(database)).toBe(12_000)
      await database.close()
      await drop()
    },
    180_000,
  )
})
