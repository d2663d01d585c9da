import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'

import { openPostgres } from '../../src/database/postgres.ts'
import { blocksIn, root, sectionOf, shell } from '../docs/commands.ts'
import { createFactories, GREEN } from '../helpers/factories.ts'
import { isLong } from '../helpers/long.ts'
import { startNode } from '../helpers/processes.ts'
import { startCluster } from '../helpers/servers/postgres-cluster.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { freePort, postgresBin } from '../kill/servers.ts'
import { createServerFolder, programPath, startProgram } from './processes.ts'

/** Files of the server suite that also run through the pooler: all of them in `npm run test:long`, else a few. */
const SOME =
  'test/issues/details.test.ts test/comments test/votes test/exports/formats.test.ts test/accounts/registration-limit.test.ts'
const POOLED_TESTS = process.env['POOLED_TESTS'] ?? (isLong ? 'test' : SOME)

describe.runIf(programPath('pgbouncer') !== undefined)('PgBouncer in transaction mode (needs pgbouncer)', () => {
  it(
    'serves the service and its tests, once the role has the settings of docs/scaling.md',
    { timeout: 4 * 3_600_000 },
    async () => {
      const cluster = await startCluster()
      onTestFinished(() => cluster.close())
      const [direct, base] = [cluster.primary.url, `http://127.0.0.1:${await freePort()}`]
      const through = (port: number) => direct.replace(/:\d+\//, `:${port}/`)
      const env = {
        ...{
          DATABASE_URL: through(await startPooler(direct)),
          DATABASE_DIRECT_URL: direct,
          DATABASE_POOLER: 'transaction',
          PUBLIC_URL: base,
        },
        ...{ PORT: new URL(base).port, DATA_DIR: createTemporaryFolder(), DEMO: 'off', RATE_LIMIT: '1000' },
      }
      const refused = await startNode('src/server.ts', [], env).ended
      const [settings = []] = blocksIn(sectionOf('docs/scaling.md', 'PgBouncer'))
      const script = settings.join('\n').replaceAll('fixpoint_app', 'postgres')
      await shell(script, { DATABASE_DIRECT_URL: direct, PATH: `${postgresBin()}:${process.env['PATH']}` })

      // Connections that a pooler has keep the settings that they began with.
      const port = await startPooler(direct)
      await startNode('src/server.ts', [], { ...env, DATABASE_URL: through(port) }).waitForOutput(/Ready after/)

      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`Run \\"ALTER ROLE postgres SET timezone = 'UTC'\\"`) as string,
      })
      const db = openPostgres({ url: direct, pools: { read: 1, write: 1 } })
      onTestFinished(() => db.close())
      const { token } = await createFactories(db).user({ name: 'Ada Park' })
      // A busy machine refuses with 503, and a client repeats its request.
      const send = async (path: string, body?: object) => {
        const key = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
        const headers = { 'user-agent': 'test', authorization: `Bearer ${token}`, ...(body ? key : {}) }
        for (let attempt = 1; ; attempt++) {
          const response = await fetch(
            `${base}${path}`,
            body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
          )
          const answer = { status: response.status, text: await response.text() }
          if (answer.status !== 503 || attempt === 60) return answer
          await pause(500)
        }
      }
      const reports = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          send('/api/v2/issues', {
            ...GREEN,
            address: '1 Church St',
            request_type_id: 'other',
            answers: { summary: `Pothole ${n}` },
          }),
        ),
      )
      const { id } = JSON.parse(reports[0]?.text ?? '') as { id: number }
      const writes = [
        ...reports,
        await send(`/api/v2/issues/${id}/comments`, { comment: 'It is deep.' }),
        await send(`/api/v2/issues/${id}/vote`, {}),
      ]
      expect(writes.map(({ status, text }) => (status === 201 ? status : text))).toEqual(writes.map(() => 201))
      for (const path of [
        '/api/v2/issues',
        `/api/v2/issues/${id}`,
        '/exports/issues.csv',
        '/tiles/issues/5/5/11.mvt',
        '/',
        '/feeds/issues.atom',
      ])
        expect([path, (await send(path)).status]).toEqual([path, 200])

      // The tests have no limit for locks without a pooler either: a busy machine would exceed it.
      await db.executeScript('ALTER ROLE postgres RESET lock_timeout')
      // This process reads the log of the pooler meanwhile, which would wait for a full pipe.
      const suite = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...POOLED_TESTS.split(' ')], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, TEST_LONG: '', TEST_DATABASE_URL: direct, TEST_DATABASE_POOLER: `127.0.0.1:${port}` },
      })
      const [failures] = await Promise.all([text(suite.stderr), text(suite.stdout), once(suite, 'close')])
      expect([suite.exitCode, suite.exitCode === 0 ? '' : failures.slice(-8_000)]).toEqual([0, ''])
    },
  )
})

/** Returns the port. */
async function startPooler(direct: string): Promise<number> {
  const [folder, port] = [createServerFolder(), await freePort()]
  writeFileSync(join(folder, 'users.txt'), '"postgres" ""\n')
  const settings = [
    ...[
      '[databases]',
      `* = host=127.0.0.1 port=${new URL(direct).port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
    ],
    ...['pool_mode = transaction', 'auth_type = trust', `auth_file = ${join(folder, 'users.txt')}`, 'max_client_conn = 500'],
    ...['default_pool_size = 40', 'server_idle_timeout = 10', `unix_socket_dir = ${folder}`],
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), settings.join('\n'))
  for (const name of ['users.txt', 'pgbouncer.ini']) chmodSync(join(folder, name), 0o644)
  startProgram(folder, 'pgbouncer', 'pgbouncer', [join(folder, 'pgbouncer.ini')])
  return port
}
