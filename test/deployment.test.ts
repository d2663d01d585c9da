import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

import { Environment, readConfig } from '../src/config.ts'

interface Service {
  readonly image: string
  readonly build?: string
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
}
interface Compose {
  readonly services: Record<string, Service>
  readonly volumes: Record<string, null>
}

const text = readFileSync('docker-compose.yml', 'utf8')
const compose = parse(text, { merge: true }) as Compose
const names = Object.keys(compose.services)
const dockerfile = readFileSync('Dockerfile', 'utf8')
const lines = dockerfile.replaceAll('\\\n', ' ').split('\n')

/** What docker compose makes of `${NAME:-default}` and `${NAME:?message}`. */
function interpolated(value: string, env: Record<string, string>): string {
  return value.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind: string | undefined, rest: string | undefined) => {
      const given = env[name]
      if (given !== undefined && given !== '') return given
      if (kind === '?') throw new Error(`${name}: ${rest}`)
      return rest ?? ''
    },
  )
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
  test('runs the database, Redis, the web process, a worker and a mailbox', () => {
    expect(names.sort()).toEqual(['api', 'mailpit', 'postgis', 'redis', 'worker'])
  })

  test.each(names)('%s starts again after a failure and names its image with a version, or builds it', (name) => {
    const service = compose.services[name]

    expect(service?.restart).toBe('unless-stopped')
    expect(service?.build ?? service?.image).toMatch(/^\.$|:v?\d/)
  })

  test.each(names.filter((name) => name !== 'api'))('%s has a health check that ends in time', (name) => {
    expect(compose.services[name]?.healthcheck).toMatchObject({
      test: expect.arrayContaining(['CMD']),
      interval: expect.stringMatching(/^\d+s$/),
      timeout: expect.stringMatching(/^\d+s$/),
      retries: expect.any(Number),
    })
  })

  test.each(['api', 'worker'])('%s waits until all that it needs is healthy', (name) => {
    const healthy = { condition: 'service_healthy' }

    expect(compose.services[name]?.depends_on).toEqual({ postgis: healthy, redis: healthy, mailpit: healthy })
  })

  test('keeps all data in named volumes, and what is temporary on a disk of each container, not in its memory', () => {
    const mounted = names.flatMap((name) => compose.services[name]?.volumes ?? [])
    const used = mounted.filter((volume) => volume !== '/tmp').map((volume) => volume.split(':')[0])

    expect([...new Set(used)].sort()).toEqual(Object.keys(compose.volumes).sort())
    for (const name of ['api', 'worker'] as const) expect(compose.services[name]?.volumes).toContain('/tmp')
    expect(compose.services.postgis?.volumes).toEqual(['database:/var/lib/postgresql/data'])
    expect(compose.services.redis?.volumes).toEqual(['redis:/data'])
  })

  test('has Redis write jobs to disk and throw none away', () => {
    expect(valueAfter('redis', '--appendonly')).toBe('yes')
    expect(valueAfter('redis', '--maxmemory-policy')).toBe('noeviction')
  })

  test('holds no secret: the password is asked for, and nothing starts without it', () => {
    const secrets = names.flatMap((name) =>
      Object.entries(compose.services[name]?.environment ?? {}).filter(([key]) => /PASSWORD|SECRET|TOKEN|KEY/.test(key)),
    )

    expect(secrets.map(([, value]) => value)).toEqual(
      secrets.map(([key]) => expect.stringMatching(key === 'OPS_TOKEN' ? /^\$\{OPS_TOKEN:-\}$/ : /^\$\{POSTGRES_PASSWORD:\?.+\}$/)),
    )
    expect(text).not.toMatch(/:\/\/[^/\s:@]+:[^@\s]+@/)
    expect(() => environmentOf('api', { PUBLIC_URL: 'http://localhost:3000' })).toThrow('POSTGRES_PASSWORD')
    expect(() => environmentOf('api', { POSTGRES_PASSWORD: 'x' })).toThrow('PUBLIC_URL')
  })

  test.each(['api', 'worker'])('gives %s an environment that the service accepts', (name) => {
    const config = readConfig(environmentOf(name, { POSTGRES_PASSWORD: 'a:b@c/d', PUBLIC_URL: 'https://fix.example.org' }))

    expect(config).toMatchObject({
      publicUrl: 'https://fix.example.org',
      databaseUrl: 'postgres://fixpoint@postgis:5432/fixpoint',
      redisUrl: 'redis://redis:6379',
      rateLimit: 20,
      demo: undefined,
    })
  })

  test('hands on whatever .env may say', () => {
    const set = ['HOST', 'PORT', 'DATA_DIR', 'DATABASE_URL', 'REDIS_URL']

    const given = Object.entries(compose.services['api']?.environment ?? {}).filter(([name]) => !set.includes(name))

    expect(
      given
        .map(([name]) => name)
        .filter((name) => name !== 'PGPASSWORD')
        .sort(),
    ).toEqual(
      Object.keys(Environment.properties)
        .filter((name) => !set.includes(name))
        .sort(),
    )
    expect(
      environmentOf('worker', { POSTGRES_PASSWORD: 'x', PUBLIC_URL: 'http://a', DATABASE_REPLICA_URLS: 'postgres://b/c' }),
    ).toMatchObject({
      DATABASE_REPLICA_URLS: 'postgres://b/c',
    })
  })

  test('publishes the web process, and the mailbox to this machine only', () => {
    const published = names.filter((name) => compose.services[name]?.ports !== undefined)

    expect(published.sort()).toEqual(['api', 'mailpit'])
    expect(compose.services.api?.ports?.map((port) => interpolated(port, {}))).toEqual(['3000:3000'])
    expect(compose.services.mailpit?.ports).toEqual(['127.0.0.1:8025:8025'])
  })

  test('runs the worker and its health check from files that exist', () => {
    expect(compose.services.worker?.healthcheck?.test).toEqual(['CMD', 'node', 'jobs/worker-health.ts'])
    expect(existsSync('jobs/worker-health.ts')).toBe(true)
    expect(compose.services.worker?.command?.[0]).toBe('node')
    expect(existsSync(compose.services.worker?.command?.[1] ?? '')).toBe(true)
  })
})

describe('Dockerfile', () => {
  test('takes Node 24 in every stage, and builds in another stage than it runs in', () => {
    const stages = lines.filter((line) => line.startsWith('FROM '))

    expect(stages).toHaveLength(2)
    expect(stages).toEqual(stages.map(() => expect.stringMatching(/^FROM node:24(-\w+)?-slim( AS \w+)?$/)))
  })

  test('installs exactly what package-lock.json says, without what only development needs', () => {
    expect(lines.filter((line) => /npm (ci|install|i)\b/.test(line))).toEqual([expect.stringContaining('npm ci --omit=dev')])
  })

  test('does not run as root', () => {
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER node'])
    expect(lines.indexOf('USER node')).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith('RUN ')))
  })

  test('asks the live health page, by Node, since the image has no curl', () => {
    const check = /^HEALTHCHECK .*CMD (\[.*\])$/.exec(lines.find((line) => line.startsWith('HEALTHCHECK ')) ?? '')?.[1]

    expect(JSON.parse(check ?? '[]')).toEqual(['node', '-e', expect.stringContaining('/health/live')])
  })

  test('starts the web process directly, so that it gets the signals', () => {
    const command = /^CMD (\[.*\])$/m.exec(dockerfile)?.[1]

    expect(JSON.parse(command ?? '[]')).toEqual(['node', 'src/server.ts'])
    expect(existsSync('src/server.ts')).toBe(true)
  })

  test('copies only what exists and is let in by .dockerignore', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(/\s+/).slice(1, -1))
    const letIn = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))

    expect(copied.filter((path) => !existsSync(path))).toEqual([])
    expect(copied.filter((path) => !letIn.some((line) => path === line.slice(1) || path.startsWith(`${line.slice(1)}/`)))).toEqual(
      [],
    )
  })
})
