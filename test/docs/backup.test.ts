import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, it } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/connect.ts'
import { type Database, sql } from '../../src/database/database.ts'
import { openFileStore } from '../../src/storage/open-file-store.ts'
import { newFileKey } from '../../src/storage/file-store.ts'
import { createTestDatabase, engine } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { createFactories } from '../helpers/factories.ts'
import { hasPostgres, startCluster } from '../helpers/servers/postgres-cluster.ts'
import { runNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { postgresBin } from '../kill/servers.ts'
import { blocksIn, createMigratedFolder, root, sectionOf, shell, textOf } from './commands.ts'
import { queryRows } from '../helpers/query-rows.ts'

const DOCUMENT = 'docs/backup.md'
const MINUTES_MS = 600_000
const SERVICE = { PUBLIC_URL: 'http://fixpoint.test' }
const IMAGE = 'the bytes of a picture'

describe('docs/backup.md', { timeout: MINUTES_MS }, () => {
  it('shows a backup and a restore for each engine and no other command', () => {
    const counts = ['The embedded database', 'The reference deployment', 'A PostgreSQL server'].map(
      (heading) => blocksIn(sectionOf(DOCUMENT, heading)).length,
    )

    expect(counts).toEqual([2, 2, 2])
    // Two more are of the drill in test/operations.
    expect(blocksIn(textOf(DOCUMENT))).toHaveLength(8)
  })

  it('writes to a folder that git ignores', () => {
    const written = [...textOf(DOCUMENT).matchAll(/(?:> |^npm run \w+ -- )(\S+)$/gm)].map(([, path]) => path)

    expect(written).toHaveLength(7)
    expect(written).toEqual(written.map(() => expect.stringMatching(/^backup(\/|$)/)))
    expect(textOf('.gitignore').split('\n')).toContain('/backup/')
  })

  it('runs the nightly commands with the Node of the release, since that of the machine may be too old', async () => {
    const lines = textOf(DOCUMENT)
      .split('\n')
      .filter((line) => line.includes(' /opt/fixpoint '))
    const commands = lines.map((line) =>
      line
        .slice(line.indexOf('node'))
        .replace(/--env-file=\S+/, '')
        .replace(/ s3:.*/, ' --help'),
    )

    const printed = await Promise.all(commands.map((command) => shell(`cd ${root} && ${command}`)))

    expect(printed).toEqual([expect.stringContaining('npm run backup -- '), expect.stringContaining('npm run restore -- ')])
  })

  it.runIf(engine === 'embedded')('restores an embedded database and its pictures', async () => {
    const folder = await createMigratedFolder()
    const at = createTemporaryFolder()
    const env = { DATA_DIR: join(at, 'data') }
    const [backUp = [], restore = []] = blocksIn(sectionOf(DOCUMENT, 'The embedded database'))
    await shell(`mv ${folder} ${env.DATA_DIR}`)
    await reportWithImage(env)

    await runAll(backUp, env, at)
    rmSync(env.DATA_DIR, { recursive: true })
    const printed = await runAll(restore, env, at)

    expect(printed).toMatch(/\nNothing is damaged\.\n(?:.*\n)+All 1 picture files exist\.\n$/)
    expect(await found(env)).toEqual(['Pothole at the Green', IMAGE])
  })

  it.runIf(engine === 'server' && hasPostgres)('restores a database on a server and its pictures (needs pg_dump)', async () => {
    const at = createTemporaryFolder()
    const env = await onServer(at, inject('template'))
    const [backUp = [], restore = []] = blocksIn(sectionOf(DOCUMENT, 'A PostgreSQL server'))
    const key = await reportWithImage(env)

    await runAll(backUp, env, at)
    rmSync(env.DATA_DIR, { recursive: true })
    const anew = await onServer(at)
    const printed = await runAll(restore, anew, at)
    const drilled = await runAll([`npm run restore -- backup --drill ${testDatabaseUrl}`], anew, at)
    await runAll(['cd backup', 'sha256sum --check --quiet SHA256SUMS'], anew, at)

    expect(drilled).toMatch(/All 1 picture files exist\.\nThe drill succeeded\.\n$/)
    expect(printed).toMatch(/\nNothing is damaged\.\n(?:.*\n)+All 1 picture files exist\.\n$/)
    expect(await found(anew)).toEqual(['Pothole at the Green', IMAGE])
    rmSync(join(anew.DATA_DIR, 'files', key))
    expect(await runNode('src/cli/verify.ts', [], anew)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        `\n1 of 1 picture files are missing:\n  ${key}\nCopy the pictures of the backup to DATA_DIR/files (docs/backup.md).\n`,
      ) as string,
    })
  })

  // The test has no Docker, so it runs the commands of the containers on its own server.
  it.runIf(engine === 'server' && hasPostgres)('restores the reference deployment (needs pg_dump)', async () => {
    const cluster = await startCluster()
    onTestFinished(() => cluster.close())
    const { port } = new URL(cluster.primary.url)
    const at = createTemporaryFolder()
    const env = { ...SERVICE, DATA_DIR: join(at, 'data'), DATABASE_URL: `postgres://fixpoint@127.0.0.1:${port}/fixpoint` }
    const servers = { ...env, PGHOST: '127.0.0.1', PGPORT: port }
    const [backUp = [], restore = []] = blocksIn(sectionOf(DOCUMENT, 'The reference deployment'))
    await runAll(['createuser --username=postgres --superuser fixpoint', 'createdb --username=fixpoint fixpoint'], servers, at)
    await runNode('src/cli/migrate.ts', [], env)
    await reportWithImage(env)

    const ada = await opened(env, (database) => createFactories(database).user())
    await runAll(inContainers(backUp, env), servers, at)
    await runNode('src/cli/user.ts', ['erase', ada.email], env)
    // The document says to copy the newest list of erased persons.
    await shell(`mv ${env.DATA_DIR}/files/erased ${at}/erased && rm -r ${env.DATA_DIR} && mkdir -p ${env.DATA_DIR}/files`)
    await shell(`mv ${at}/erased ${env.DATA_DIR}/files/`)
    const printed = await runAll(inContainers(restore, env), servers, at)

    expect([...backUp, ...restore].filter((command) => !command.startsWith('docker compose '))).toEqual(['mkdir -p backup'])
    expect(printed).toMatch(/\nNothing is damaged\.\n(?:.*\n)+All 1 picture files exist\.\n$/)
    expect(printed).toContain('Erased 1 accounts again')
    expect(await found(env)).toEqual(['Pothole at the Green', IMAGE])
  })

  it('names a DATA_DIR that units, cron and commands share, and erases persons again after each restore by other means', () => {
    const units = ['web', 'worker'].map((name) => textOf(`deploy/systemd/fixpoint-${name}.service`))

    expect(units.filter((unit) => /^Environment=.*DATA_DIR/m.test(unit))).toEqual([])
    expect(textOf('docs/operations.md')).toContain('`DATA_DIR=/var/lib/fixpoint`')
    expect(sectionOf(DOCUMENT, 'Every night')).toContain('`crontab -u fixpoint -e`')
    expect(sectionOf(DOCUMENT, 'To a point in time')).toContain('`npm run user -- erase-again`')
    expect(sectionOf(DOCUMENT, 'The embedded database')).toContain('`files/erased`')
  })
})

/** Replaces `docker compose exec` and `run` by the commands that they run in the containers. */
const inContainers = (commands: readonly string[], { DATA_DIR }: Environment) =>
  commands
    .filter((command) => !/^docker compose (?:up|stop|exec -T redis) /.test(command))
    .map((command) => command.replace(/^docker compose (?:exec|run)(?: -[\w-]+)* (?:api|postgis) /, '').replace('/data', DATA_DIR))

type Environment = Record<string, string> & { DATA_DIR: string }

async function onServer(at: string, template?: string): Promise<Environment> {
  const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '', template)
  onTestFinished(drop)
  return { DATA_DIR: join(at, 'data'), DATABASE_URL: url, ...SERVICE }
}

async function runAll(commands: readonly string[], env: Environment, at: string): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  const fileOf = (_: string, script: string) =>
    `"${process.execPath}" "${join(root, (scripts[script] ?? script).replace('node ', ''))}"`
  const PATH = [postgresBin(), process.env['PATH']].join(':')
  const text = commands
    .join('\n')
    .replace(/npm run (\w+)(?: --)?|node (src\/cli\/\w+.ts)/g, (all, script, file) => fileOf(all, (script ?? file) as string))
  return shell(`set -e\n${text}`, { ...env, PATH }, at)
}

async function opened<Result>(env: Environment, work: (database: Database) => Promise<Result>): Promise<Result> {
  const { database } = await connect(readConfig(env), { activity: 'a test', say: () => {} })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

async function reportWithImage(env: Environment): Promise<string> {
  mkdirSync(env.DATA_DIR, { recursive: true })
  const [key, file] = [newFileKey('png'), join(createTemporaryFolder(), 'picture')]
  writeFileSync(file, IMAGE)
  await (await openFileStore(readConfig(env))).put(key, file, 'image/png')
  await opened(env, async (database) => {
    const issue = await createFactories(database).issue({ summary: 'Pothole at the Green' })
    const image = { issue_id: issue, full_key: key, content_type: 'image/png', bytes: IMAGE.length, width: 1, height: 1 }
    await database.prisma.medium.create({ data: image })
  })
  return key
}

/** Returns the summary of the issue and the bytes of its image. */
async function found(env: Environment): Promise<string[]> {
  const [row] = await opened(env, (database) =>
    queryRows<{ summary: string; key: string }>(
      database,
      sql`SELECT i.summary, m.full_key AS key FROM issues i JOIN media m ON m.issue_id = i.id`,
    ),
  )
  return [row?.summary ?? '', readFileSync(join(env.DATA_DIR, 'files', row?.key ?? ''), 'utf8')]
}
