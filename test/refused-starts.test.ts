import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { readConfig } from '../src/config.ts'
import { connect } from '../src/database/connect.ts'
import { lockFolder } from '../src/database/embedded-folder.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { isUnreachable } from '../src/database/connection-errors.ts'
import { UserFacingError } from '../src/environment/user-facing-error.ts'
import { createTestDatabase } from './helpers/database.ts'
import { createTemporaryFolder } from './helpers/temporary-folder.ts'
import { messagesIn, runNode } from './helpers/processes.ts'
import { startRefusingServer } from './helpers/servers/refusing-server.ts'
import { queryServer } from './helpers/servers/server-databases.ts'
import { engine, testDatabaseUrl } from './helpers/servers.ts'

const commands: [file: string, args: string[]][] = [
  ['jobs/worker.ts', []],
  ['src/server.ts', []],
  ['src/cli/migrate.ts', []],
  ['src/cli/verify.ts', []],
  ['prisma/seed.ts', []],
  ['src/cli/import.ts', ['issues', 'package.json']],
  ['src/cli/user.ts', ['token', '--email', 'ada@example.org']],
]
/** Without a terminal, each line that they print is JSON. */
const services = ['jobs/worker.ts', 'src/server.ts']
const quiet = { PORT: '0', LOG_LEVEL: 'silent' }

// These start processes, and are the same on servers.
describe.runIf(engine === 'embedded')('commands that open a database', () => {
  it.each(commands)('end with one sentence if the server refuses the login: %s', async (file, args) => {
    const url = await startRefusingServer('28P01', 'password authentication failed for user "fix"')

    const { code, stderr } = await runNode(file, args, { ...quiet, DATABASE_URL: url, PUBLIC_URL: 'http://fixpoint.test' })

    const reason = services.includes(file) ? `${messagesIn(stderr)}\n` : stderr.replace(/^Connecting to PostgreSQL …\n/, '')
    expect(reason).toBe(
      `The database server ${new URL(url).host} refused the login. Correct the user and the password in DATABASE_URL. ` +
        '(password authentication failed for user "fix")\n',
    )
    expect(code).toBe(1)
  })
})

describe.runIf(engine === 'embedded')('commands without arguments', () => {
  it.each(['src/server.ts', 'jobs/worker.ts', 'prisma/seed.ts'])('refuse an option and print their help: %s', async (file) => {
    const { code, stderr } = await runNode(file, ['--port', '4000'], { ...quiet, DATA_DIR: createTemporaryFolder() })

    const reason = services.includes(file) ? messagesIn(stderr) : stderr
    expect([code, reason.split('\n')[0]]).toEqual([1, "Unknown option '--port'"])
    expect(reason).toContain('npm ')
  })
})

describe.runIf(engine === 'embedded')('a port in use', () => {
  it('ends the start with one sentence before a database is created', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const folder = join(createTemporaryFolder(), 'data')

    const { code, stderr } = await runNode('src/server.ts', [], { ...quiet, PORT: String(port), DATA_DIR: folder })

    expect(messagesIn(stderr)).toBe(`127.0.0.1:${port} is in use by another program: stop that program, or set another PORT.`)
    expect([code, existsSync(folder)]).toEqual([1, false])
  })
})

async function sentenceOf(env: Record<string, string>, { startMaxMs = 0, say = (_line: string) => {} } = {}): Promise<string> {
  const opening = connect(readConfig(env, { requirePublicUrl: false }), { activity: 'a test', say, startMaxMs })
  const error: unknown = await opening.catch((refused: unknown) => refused)
  expect(error).toBeInstanceOf(UserFacingError)
  return (error as UserFacingError).message
}

describe('errors of a database server', () => {
  it.each([
    ['has no such database', '3D000', 'database "city" does not exist', 'has no database with this name. Create it'],
    ['refuses this machine', '28000', 'no pg_hba.conf entry for host', 'refused the login. Correct the user'],
    ['has no free connection', '53300', 'sorry, too many clients already', 'has no free connection. Close other connections'],
    ['is still starting', '57P03', 'the database system is starting up', 'still starts or recovers. Start again when it is ready'],
    ['refuses a start-up parameter', '08P01', 'unsupported startup parameter', 'cannot be reached. Start it'],
    ['fails with an unknown error', 'XX000', 'out of luck', 'cannot be used. Correct DATABASE_URL'],
  ])('say what to do if the server %s', async (_, sqlstate, message, advice) => {
    const url = await startRefusingServer(sqlstate, message)

    const sentence = await sentenceOf({ DATABASE_URL: url })

    expect(sentence).toMatch(/^The database server 127\.0\.0\.1:\d+ [^(]*\bDATABASE_URL\b/)
    expect(sentence).toContain(` ${advice}`)
    expect(sentence.endsWith(` (${message})`)).toBe(true)
    expect(sentence).not.toContain('hunter2')
  })

  it('do not end a process that has just taken a connection', async () => {
    const url = await startRefusingServer('57P01', 'terminating connection due to administrator command', { accepts: true })
    const db = openPostgres({ url, pools: { read: 1, write: 1 } })
    onTestFinished(() => db.close())

    await expect(db.exclusively('a name', () => Promise.resolve())).rejects.toSatisfy(isUnreachable)
  })

  it('wait for a server that starts, and say so once', async () => {
    const url = await startRefusingServer('28P01', 'password authentication failed', { startsFor: 2 })
    const said: string[] = []

    const sentence = await sentenceOf({ DATABASE_URL: url }, { startMaxMs: 30_000, say: (line) => said.push(line) })

    expect(sentence).toContain('refused the login')
    expect(said).toEqual([
      'Connecting to PostgreSQL …',
      'PostgreSQL does not accept connections yet; trying for up to 30 seconds …',
    ])
  })

  it('end the wait after its time', async () => {
    const url = await startRefusingServer('57P03', 'the database system is starting up')

    expect(await sentenceOf({ DATABASE_URL: url }, { startMaxMs: 600 })).toContain('still starts or recovers')
  })

  it('say what to do if the server is unreachable', async () => {
    expect(await sentenceOf({ DATABASE_URL: 'postgres://fix@127.0.0.1:1/city' })).toBe(
      'The database server 127.0.0.1:1 cannot be reached. Start it, or correct the address in DATABASE_URL. ' +
        '(connect ECONNREFUSED 127.0.0.1:1)',
    )
  })

  it('say what to do if the host name is unknown', async () => {
    expect(await sentenceOf({ DATABASE_URL: 'postgres://fix@nowhere.invalid/city' })).toMatch(
      /^The database server nowhere\.invalid:5432 cannot be reached\. Start it, .* DATABASE_URL\. \(getaddrinfo /,
    )
  })

  it.each(testDatabaseUrl === undefined ? [] : [testDatabaseUrl])(
    'say what to do if the server is read-only',
    async (serverUrl) => {
      const { url, drop } = await createTestDatabase(serverUrl)
      const name = new URL(url).pathname.slice(1)
      await queryServer(serverUrl, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)

      const sentence = await sentenceOf({ DATABASE_URL: url })

      await drop()
      expect(sentence).toMatch(/ is read-only\. Set DATABASE_URL to the primary, and list replicas in DATABASE_REPLICA_URLS\.$/)
    },
  )
})

describe('errors of a data folder', () => {
  const advice = 'cannot be used. Set DATA_DIR to a folder that this user can create or write to.'

  it.each([
    ['a file', (path: string) => path],
    ['inside a file', (path: string) => join(path, 'data')],
  ])('say what to do if the folder is %s', async (_, within) => {
    const file = join(createTemporaryFolder(), 'file')
    writeFileSync(file, '')

    expect(await sentenceOf({ DATA_DIR: within(file) })).toContain(`The data folder ${within(file)} ${advice} (E`)
  })

  // Creating this folder blocks Node forever, so it runs in a process that can be killed.
  it.runIf(existsSync('/proc/self'))('say what to do for a folder under /proc', { timeout: 100_000 }, async () => {
    const { code, stderr } = await runNode('src/cli/migrate.ts', [], { DATA_DIR: '/proc/fixpoint/data' })

    expect(stderr).toBe(
      `The data folder /proc/fixpoint/data ${advice} (ENOENT: no such file or directory, mkdir '/proc/fixpoint')\n`,
    )
    expect(code).toBe(1)
  })

  it('say what to do if the folder is not writable', async () => {
    const folder = createTemporaryFolder()
    mkdirSync(join(folder, 'lock.sqlite'))

    expect(await sentenceOf({ DATA_DIR: folder })).toBe(`The data folder ${folder} ${advice} (unable to open database file)`)
  })

  it('say what to do if the folder has no valid database, and release the lock', async () => {
    const folder = createTemporaryFolder()
    mkdirSync(join(folder, 'database'))
    writeFileSync(join(folder, 'database', 'PG_VERSION'), '18\n')

    expect(await sentenceOf({ DATA_DIR: folder })).toContain(
      `The embedded database in ${join(folder, 'database')} cannot be opened. It is damaged, was created by another version, or is not writable.`,
    )
    expect(() => lockFolder(folder, 'the next').release()).not.toThrow()
  })
})
