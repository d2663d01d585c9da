import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { blocksIn, sectionOf } from '../docs/commands.ts'
import { createFactories } from '../helpers/factories.ts'
import { runNode } from '../helpers/processes.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { hasPostgres, startCluster } from '../helpers/servers/postgres-cluster.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { freePort, postgresBin, serverUser } from '../kill/servers.ts'
import { createServerFolder, startProgram, until } from './processes.ts'

const section = sectionOf('docs/backup.md', 'To a point in time')
const [archiving = '', recovery = ''] = [...section.matchAll(/```ini\n([^]*?)```/g)].map(([, block]) => block)
const [[baseBackup = ''] = [], [signal = ''] = []] = blocksIn(section)

it.runIf(hasPostgres)('docs/backup.md restores the moment before a mistake from a base backup and the archived log', async () => {
  const folder = createServerFolder()
  const inFolder = (text: string) =>
    text.replaceAll('/var/backups', folder).replaceAll('/var/lib/postgresql/17/main', `${folder}/base`)
  const asServer = (command: string, env: Record<string, string> = {}) => {
    const PATH = `${postgresBin()}:${process.env['PATH']}`
    return execFileSync('sh', ['-c', inFolder(command)], { ...serverUser(), cwd: '/', env: { PATH, ...env }, stdio: 'pipe' })
  }
  asServer('mkdir /var/backups/wal')
  const cluster = await startCluster()
  onTestFinished(() => cluster.close())
  const { primary } = cluster
  const open = (url: string) => {
    const db = openPostgres({ url, pools: { read: 1, write: 3 }, onConnectionLost: () => undefined })
    onTestFinished(() => db.close())
    return db
  }
  const setUp = open(primary.url)
  for (const [, name, value = ''] of archiving.matchAll(/^(\w+) = (.*)$/gm))
    await setUp.executeScript(`ALTER SYSTEM SET ${name} = ${inFolder(value)}`)
  await primary.stop()
  await primary.start()
  const db = open(primary.url)
  await migrate(db)
  const create = createFactories(db)
  const summaries = async (database: typeof db) =>
    (await queryRows<{ summary: string }>(database, sql`SELECT i.summary FROM issues i ORDER BY i.id`)).map(
      ({ summary }) => summary,
    )

  await create.issue({ summary: 'In the base backup' })
  await db.execute(sql`CREATE ROLE fixpoint_backup LOGIN REPLICATION`)
  asServer(baseBackup, { BACKUP_URL: Object.assign(new URL(primary.url), { username: 'fixpoint_backup' }).href })
  await create.issue({ summary: 'In the archived log' })
  const [moment] = await queryRows<{ now: string }>(db, sql`SELECT clock_timestamp()::text AS now`)
  await create.issue({ summary: 'After the moment' })
  await db.execute(sql`UPDATE issues SET summary = 'A mistake'`)
  const [last] = await queryRows<{ wal: string }>(db, sql`SELECT pg_walfile_name(pg_switch_wal()) AS wal`)
  await until('the archiving of the log', async () => {
    const [state] = await queryRows<{ wal: string }>(
      db,
      sql`SELECT coalesce(s.last_archived_wal, '') AS wal FROM pg_stat_archiver s`,
    )
    return (state?.wal ?? '') >= (last?.wal ?? '')
  })
  await primary.stop()

  const port = await freePort()
  const settings = recovery.replace(/'[\d: +-]+'/, `'${moment?.now}'`)
  appendFileSync(join(folder, 'base/postgresql.conf'), `${inFolder(settings)}\nport = ${port}\narchive_mode = off\n`)
  appendFileSync(join(folder, 'base/postgresql.auto.conf'), "archive_mode = 'off'\n")
  asServer(signal)
  const postgres = startProgram(folder, 'restored', join(postgresBin() ?? '', 'postgres'), ['-D', join(folder, 'base')])
  onTestFinished(() => void postgres.kill('SIGQUIT'))
  const url = primary.url.replace(/:\d+\//, `:${port}/`)
  const restored = open(url)
  await until('the end of the recovery', async () => {
    const [state] = await queryRows<{ ends: boolean }>(restored, sql`SELECT NOT pg_is_in_recovery() AS ends`)
    return state?.ends
  })

  expect(await summaries(restored)).toEqual(['In the base backup', 'In the archived log'])
  const data = createTemporaryFolder()
  mkdirSync(join(data, 'files'))
  const verified = await runNode('src/cli/verify.ts', [], { DATABASE_URL: url, DATA_DIR: data, PUBLIC_URL: 'http://127.0.0.1' })
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('Nothing is damaged.')])
})
