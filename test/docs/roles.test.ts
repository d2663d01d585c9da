import { expect, inject, it, onTestFinished } from 'vitest'

import { jobHandlers } from '../../jobs/handlers/job-handlers.ts'
import { sql } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { createClient } from '../helpers/client.ts'
import { createFactories, GREEN } from '../helpers/factories.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { runNode } from '../helpers/processes.ts'
import { hasPostgres } from '../helpers/servers/postgres-cluster.ts'
import { databaseUrl, dropDatabase, queryServer } from '../helpers/servers/server-databases.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { appOn, bearer } from '../http/app-on.ts'
import { postgresBin } from '../kill/servers.ts'
import { blocksIn, sectionOf, shell } from './commands.ts'

const SERVICE = { PUBLIC_URL: 'http://fixpoint.test' }
const name = 'the service, its migrations, a backup and a restore need no superuser'

it.runIf(testDatabaseUrl !== undefined && hasPostgres)(
  `${name} (needs TEST_DATABASE_URL and pg_dump)`,
  { timeout: 400_000 },
  async () => {
    const server = testDatabaseUrl ?? ''
    const [database, restored] = [`${inject('run')}_roles`, `${inject('run')}_roles2`]
    const [owner, app] = [`${database}_owner`, `${database}_app`]
    const as = (role: string, name: string) => Object.assign(new URL(databaseUrl(server, name)), { username: role }).href
    const PATH = [postgresBin(), process.env['PATH']].join(':')
    onTestFinished(async () => {
      for (const name of [database, restored]) await dropDatabase(server, name)
      for (const role of [app, owner]) await queryServer(server, `DROP ROLE IF EXISTS ${role}`)
    })
    const [setUp = []] = blocksIn(sectionOf('docs/operations.md', 'Roles of the database'))
    const script = setUp
      .join('\n')
      .replaceAll('fixpoint_', `${database}_`)
      .replace(/DATABASE fixpoint /, `DATABASE ${database} `)
      .replace('connect fixpoint', `connect ${database}`)
    await shell(script.replace('--host=db.example.org --username=postgres', `--quiet --set=ON_ERROR_STOP=1 '${server}'`), { PATH })

    const asService = await runNode('src/cli/migrate.ts', [], { ...SERVICE, DATABASE_URL: as(app, database) })
    expect(asService).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^The role of DATABASE_URL may not do this \(permission denied for schema public\)\. [^\n]*\n$/,
      ) as string,
    })
    expect(await runNode('src/cli/migrate.ts', [], { ...SERVICE, DATABASE_URL: as(owner, database) })).toMatchObject({ code: 0 })

    const db = openPostgres({ url: as(app, database), pools: { read: 3, write: 3 } })
    onTestFinished(() => db.close())
    await expect(db.execute(sql`ALTER TABLE issues ADD COLUMN x integer`)).rejects.toThrow('must be owner of table issues')
    await expect(db.execute(sql`CREATE TABLE x ()`)).rejects.toThrow('permission denied for schema public')
    const { fastify, services } = await appOn(db, { DATA_DIR: createTemporaryFolder() })
    const { token } = await createFactories(db).user({ name: 'Ada Park' })
    const ada = createClient(fastify, bearer(token))
    const report = { ...GREEN, address: '250 Church St', answers: { summary: 'Pothole at the Green' }, request_type_id: 'other' }
    const created = await ada.send('POST', '/api/v2/issues', { body: report })
    const { id } = created.body as { id: number }
    const writes = [
      created,
      await ada.send('POST', `/api/v2/issues/${id}/comments`, { body: { comment: 'It is deep.' } }),
      await ada.send('POST', `/api/v2/issues/${id}/vote`),
      await ada.send('POST', `/api/v2/issues/${id}/close`, { body: { comment: 'It is gone.' } }),
    ]
    const queue = { enqueue: () => Promise.resolve('') }
    for (const job of Object.keys(jobHandlers).filter((job) => job !== 'deliver'))
      await jobHandlers[job as 'dispatch-outbox']({}, { ...services, queue }, new AbortController().signal)
    const reads = [
      '/api/v2/issues?status=closed',
      `/api/v2/issues/${id}`,
      '/tiles/issues/5/5/11.mvt',
      '/exports/issues.csv',
      '/ogc/collections/issues/items',
      '/feeds/issues.atom',
      '/api/v2/statistics',
      '/',
    ]
    expect(writes.map(({ status, text }) => [status, status === 201 ? '' : text])).toEqual(writes.map(() => [201, '']))
    for (const url of reads) expect([url, (await ada.send('GET', url)).status]).toEqual([url, 200])

    // The queue without Redis has a schema of the service, which the owner may not read.
    await queryServer(server, `GRANT CREATE ON DATABASE ${database} TO ${app}`)
    await db.executeScript('CREATE SCHEMA bullmq; CREATE TABLE bullmq.job (id integer)')
    const [backup, DATA_DIR] = [createTemporaryFolder(), createTemporaryFolder()]
    const of = (name: string, role = owner) => ({ ...SERVICE, DATA_DIR, PATH, DATABASE_URL: as(role, name) })
    for (const role of [owner, app])
      expect(await runNode('src/cli/backup.ts', [backup], of(database, role))).toMatchObject({ code: 0 })
    await queryServer(server, `CREATE DATABASE ${restored} OWNER ${owner}`)
    await queryServer(databaseUrl(server, restored), 'CREATE EXTENSION postgis')
    const verified = await runNode('src/cli/restore.ts', [backup], of(restored))

    expect(verified.stdout).toContain('no indexes, which requires a superuser')
    expect(verified).toMatchObject({ code: 2, stdout: expect.stringContaining('The counts of all cells are correct.') as string })
    const schemas = await queryServer(databaseUrl(server, restored), "SELECT FROM pg_namespace WHERE nspname = 'bullmq'")
    expect(schemas).toEqual([])
    await queryServer(server, `REASSIGN OWNED BY ${owner} TO CURRENT_USER`)
  },
)

it.runIf(testDatabaseUrl !== undefined)('npm run migrate names the statement that only a superuser may run', async () => {
  const server = testDatabaseUrl ?? ''
  const database = `${inject('run')}_roles3`
  onTestFinished(async () => {
    await dropDatabase(server, database)
    await queryServer(server, `DROP ROLE IF EXISTS ${database}`)
  })
  await queryServer(server, `CREATE ROLE ${database} LOGIN`)
  await queryServer(server, `CREATE DATABASE ${database} OWNER ${database}`)

  const { code, stderr } = await runNode('src/cli/migrate.ts', [], {
    ...SERVICE,
    DATABASE_URL: Object.assign(new URL(databaseUrl(server, database)), { username: database }).href,
  })

  expect(code).toBe(1)
  expect(stderr).toContain('Let a superuser of the server run "CREATE EXTENSION postgis;" in this database, then start again.')
})
