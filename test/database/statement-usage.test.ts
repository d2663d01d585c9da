import { describe, expect, it, onTestFinished } from 'vitest'

import { openPool } from '../../src/database/open-pool.ts'
import {
  createStatementUsage,
  type FinishedStatement,
  measurePool,
  statementName,
  usages as running,
} from '../../src/database/statement-usage.ts'
import { logSlowStatements, openLog } from '../../src/process/log.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'

describe.each(testDatabaseUrl === undefined ? [] : [testDatabaseUrl])('measurePool', (url) => {
  it('adds statements and waits to the request that sent them, also to one that waits for the connection of another', async () => {
    const statements: FinishedStatement[] = []
    const pool = measurePool(openPool(url, { max: 1 }), (statement) => statements.push(statement))
    onTestFinished(() => pool.end())
    const usages = ['first', 'second'].map(createStatementUsage)
    const [first, second] = usages
    const holder = await pool.connect()

    const sent = usages.map((usage) => running.run(usage, () => pool.query('SELECT pg_sleep(0.01)')))
    holder.release()
    await Promise.all(sent)

    expect(usages).toMatchObject([{ statements: 1 }, { statements: 1 }])
    expect(first?.database_ms).toBeGreaterThanOrEqual(10)
    expect(second?.pool_wait_ms).toBeGreaterThanOrEqual(10)
    expect(statements.map(({ text, request_id }) => [text, request_id])).toEqual([
      ['SELECT pg_sleep(0.01)', 'first'],
      ['SELECT pg_sleep(0.01)', 'second'],
    ])
  })

  it('passes errors on and counts their statements', async () => {
    const pool = measurePool(openPool(url, { max: 1 }))
    onTestFinished(() => pool.end())
    const usage = createStatementUsage('one')

    await expect(running.run(usage, () => pool.query('SELECT 1 / 0'))).rejects.toMatchObject({ code: '22012' })

    expect(usage.statements).toBe(1)
  })
})

describe('logSlowStatements', () => {
  it('logs the name and the text of statements that take longer than the limit', () => {
    const lines: Record<string, unknown>[] = []
    const log = openLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
    const onStatement = logSlowStatements(log, 100)

    onStatement({ text: 'SELECT 1', duration_ms: 99, request_id: undefined })
    onStatement({ text: 'SELECT i.id FROM issues i WHERE i.id = $1', duration_ms: 100.4, request_id: 'b7a1f0c2d9e84b66' })

    expect(lines).toEqual([
      expect.objectContaining({
        level: 40,
        msg: 'slow statement',
        statement: 'SELECT issues',
        duration_ms: 100,
        text: 'SELECT i.id FROM issues i WHERE i.id = $1',
        request_id: 'b7a1f0c2d9e84b66',
      }),
    ])
  })
})

describe('statementName', () => {
  it.each([
    ['\n  SELECT i.id FROM issues i', 'SELECT issues'],
    ['SELECT "public"."users"."id" FROM "public"."users" WHERE 1=1', 'SELECT users'],
    ['INSERT INTO votes (issue_id) VALUES ($1)', 'INSERT votes'],
    ['update mails mail SET reply = $1', 'UPDATE mails'],
    ['WITH due AS (SELECT FROM mails) SELECT 1', 'WITH mails'],
    ['BEGIN', 'BEGIN'],
  ])('of %j is %j', (text, name) => {
    expect(statementName(text)).toBe(name)
  })
})
