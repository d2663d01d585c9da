import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import { ConfigError, readConfig } from '../src/config.ts'
import { Environment } from '../src/environment/variables.ts'
import { queueNames } from '../src/queue/job-definitions.ts'
import { configurationTable, envExample } from './helpers/documents/configuration-table.ts'

const names = Object.keys(Environment.properties)

describe('readConfig', () => {
  it('accepts an empty environment: one process on the loopback address', () => {
    expect(readConfig({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      publicUrl: undefined,
      trustProxy: false,
      databaseUrl: undefined,
      replicaUrls: [],
      databasePools: { read: 10, write: 10, export: 4 },
      migrateOnStart: true,
      redisUrl: undefined,
      redisSentinels: [],
      dataDir: './data',
      demo: undefined,
      rateLimit: 20,
      registrationLimit: 5,
      draftLimit: 10000,
      exports: 'open',
      embedOrigins: ['*'],
      geocoderUrl: undefined,
      geocoderLimit: 1,
      mediaUrlHosts: [],
      forwardAllow: [],
      smtpConnections: 10,
      mailDomainRate: 0,
      dkimSelector: 'fixpoint',
      workerPort: 0,
      tracesRatio: 0.1,
      slowStatementMs: 1000,
      streamSecondsMax: 3_600,
      drainSeconds: 5,
      logLevel: 'info',
    })
  })

  it('reads every variable', () => {
    const config = readConfig({
      PORT: '0',
      HOST: '::',
      PUBLIC_URL: 'https://fix.example.org/city/',
      TRUST_PROXY: '10.0.0.0/8, fd00::/8',
      DATABASE_URL: 'postgres://fix:secret@db:5432/fixpoint',
      DATABASE_REPLICA_URLS: 'postgres://one/fixpoint, postgresql://two/fixpoint',
      DATABASE_POOL_READ: '20',
      DATABASE_POOL_WRITE: '30',
      DATABASE_POOL_EXPORT: '2',
      MIGRATE_ON_START: 'on',
      DATABASE_POOLER: 'transaction',
      DATABASE_DIRECT_URL: 'postgres://fix@primary/fixpoint',
      REDIS_URL: 'rediss://mymaster',
      REDIS_SENTINELS: 'one:26379, two:26380',
      DATA_DIR: '/var/lib/fixpoint',
      DEMO: 'off',
      RATE_LIMIT: '5000',
      REGISTRATION_LIMIT: '200',
      DRAFT_LIMIT: '500',
      EXPORTS: 'token',
      EMBED_ORIGINS: 'https://city.example, https://www.example.org',
      GEOCODER_URL: 'https://geocoder.example.org/',
      GEOCODER_LIMIT: '10',
      MEDIA_URL_HOSTS: 'pictures.example.org, cdn.example.org:8443',
      BASEMAP_STYLE_URL: 'https://tiles.example.org/style.json?key=1',
      SMTP_CONNECTIONS: '50',
      MAIL_DOMAIN_RATE: '600',
      MAIL_HOOK_SECRET: 'sixteen-letters?',
      FORWARD_ALLOW: '10.1.0.0/16, fd00::/8',
      WORKER_QUEUES: 'mails, media,mails',
      WORKER_PORT: '3001',
      SLOW_STATEMENT_MS: '200',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OPS_TOKEN: 'sixteen-letters!',
      STREAM_SECONDS_MAX: '50',
      DRAIN_SECONDS: '15',
      LOG_LEVEL: 'debug',
    })

    expect(config).toEqual({
      port: 0,
      host: '::',
      publicUrl: 'https://fix.example.org/city',
      trustProxy: ['10.0.0.0/8', 'fd00::/8'],
      databaseUrl: 'postgres://fix:secret@db:5432/fixpoint',
      replicaUrls: ['postgres://one/fixpoint', 'postgresql://two/fixpoint'],
      databasePools: { read: 20, write: 30, export: 2 },
      migrateOnStart: true,
      directUrl: 'postgres://fix@primary/fixpoint',
      redisUrl: 'rediss://mymaster',
      redisSentinels: ['one:26379', 'two:26380'],
      dataDir: '/var/lib/fixpoint',
      demo: false,
      rateLimit: 5000,
      registrationLimit: 200,
      draftLimit: 500,
      exports: 'token',
      embedOrigins: ['https://city.example', 'https://www.example.org'],
      geocoderUrl: 'https://geocoder.example.org',
      geocoderLimit: 10,
      mediaUrlHosts: ['pictures.example.org', 'cdn.example.org:8443'],
      basemapStyleUrl: 'https://tiles.example.org/style.json?key=1',
      smtpConnections: 50,
      mailDomainRate: 600,
      mailHookSecret: 'sixteen-letters?',
      dkimSelector: 'fixpoint',
      forwardAllow: ['10.1.0.0/16', 'fd00::/8'],
      workerQueues: ['mails', 'media'],
      workerPort: 3001,
      slowStatementMs: 200,
      otlpEndpoint: 'http://collector:4318',
      tracesRatio: 0.25,
      opsToken: 'sixteen-letters!',
      streamSecondsMax: 50,
      drainSeconds: 15,
      logLevel: 'debug',
    })
    expect(Object.isFrozen(config)).toBe(true)
  })

  it('accepts exactly the queues of the contracts', () => {
    const queue = queueNames.join(',')

    expect(readConfig({ WORKER_QUEUES: queue }).workerQueues).toEqual(queueNames)
    expect(() => readConfig({ WORKER_QUEUES: `${queue},parcels` })).toThrow(`one or more of ${queueNames.join(', ')}`)
  })

  it.each(['short', 'with a space in it', 'x'.repeat(201)])('refuses the OPS_TOKEN %s', (OPS_TOKEN) => {
    expect(() => readConfig({ OPS_TOKEN })).toThrow('OPS_TOKEN must be 16 to 200 ASCII characters')
  })

  it('counts blank variables as not set', () => {
    expect(readConfig(Object.fromEntries(names.map((name) => [name, '  '])))).toEqual(readConfig({}))
  })

  it.each([
    ['a number of hops', '2', 2],
    ['no hop at all', '0', false],
    ['one address', '10.1.2.3', ['10.1.2.3']],
  ])('accepts %s in TRUST_PROXY', (_, input, expected) => {
    expect(readConfig({ TRUST_PROXY: input }).trustProxy).toEqual(expected)
  })

  it('reports every invalid variable and its allowed values in one message', () => {
    const wrong = () =>
      readConfig({
        PORT: '65536',
        HOST: 'a b',
        PUBLIC_URL: 'fix.example.org',
        TRUST_PROXY: 'yes',
        DATABASE_URL: 'mysql://db',
        DATABASE_REPLICA_URLS: 'one',
        REDIS_URL: 'redis',
        DEMO: 'true',
        RATE_LIMIT: '0',
        REGISTRATION_LIMIT: '-1',
        DRAFT_LIMIT: '0',
        GEOCODER_URL: 'https://geocoder.example.org/?q=',
        GEOCODER_LIMIT: '0',
        LOG_LEVEL: 'loud',
      })

    expect(wrong).toThrow(ConfigError)
    expect(wrong).toThrow(
      [
        'The service cannot start because the environment is invalid:',
        '  PORT must be an integer from 0 to 65535',
        '  HOST must be a host name or an IP address',
        '  PUBLIC_URL must be an http or https address without user, password or query',
        '  TRUST_PROXY must be a number of hops, or addresses and CIDR ranges separated by commas',
        '  DATABASE_URL must be an address like postgres://user:password@host:5432/name, or one like postgres://user@one,two/name?target_session_attrs=read-write',
        '  DATABASE_REPLICA_URLS must be addresses like postgres://user:password@host:5432/name separated by commas',
        '  REDIS_URL must be an address like redis://host:6379',
        '  DEMO must be on or off',
        '  RATE_LIMIT must be an integer from 1',
        '  REGISTRATION_LIMIT must be an integer from 0',
        '  DRAFT_LIMIT must be an integer from 1 to 1000000',
        '  GEOCODER_URL must be an http or https address without query',
        '  GEOCODER_LIMIT must be an integer from 1 to 1000',
        '  LOG_LEVEL must be trace, debug, info, warn, error, fatal or silent',
      ].join('\n'),
    )
  })

  it.each([
    ['TRUST_PROXY', '999.1.1.1'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.1, ::::'],
    ['TRUST_PROXY', 'abc'],
    ['PUBLIC_URL', 'http://fix.example.org:99999'],
    ['PUBLIC_URL', 'http://['],
    ['PUBLIC_URL', 'https://user:secret@fix.example.org'],
    ['PUBLIC_URL', 'https://user@fix.example.org/city'],
    ['HOST', 'localhost:3000'],
    ['HOST', '[::1]'],
    ['HOST', '300.1.1.1'],
    ['HOST', '-a.example.org'],
    ['DATABASE_URL', 'postgres://user:100%@db/fixpoint'],
    ['REDIS_URL', 'redis://a:b:c'],
    ['DATABASE_REPLICA_URLS', 'postgres://one/fixpoint, postgres://[/fixpoint'],
  ])('refuses an invalid URL in %s: %s', (name, input) => {
    expect(() => readConfig({ DATABASE_URL: 'postgres://db/fixpoint', PUBLIC_URL: 'http://127.0.0.1', [name]: input })).toThrow(
      `${name} must be`,
    )
  })

  it.each(['localhost', '::', 'fe80::1%eth0', 'fix_1.example.org', '10.0.0.7'])('accepts %s as HOST', (host) => {
    expect(readConfig({ HOST: host }).host).toBe(host)
  })

  it.each(['0x10', '1e3', '3000.5', '-1', '99999999999999999999'])('refuses %s as an integer', (limit) => {
    expect(() => readConfig({ RATE_LIMIT: limit })).toThrow('RATE_LIMIT must be an integer from 1')
  })

  it('never repeats a value, which may be a password', () => {
    expect(() => readConfig({ DATABASE_URL: 'hunter2' })).toThrow(expect.not.stringContaining('hunter2') as string)
  })

  it.each([
    [
      'DATABASE_URL without PUBLIC_URL',
      { DATABASE_URL: 'postgres://db/fixpoint' },
      'PUBLIC_URL must be set if DATABASE_URL is set',
    ],
    [
      'DATABASE_REPLICA_URLS without DATABASE_URL',
      { DATABASE_REPLICA_URLS: 'postgres://db/fixpoint' },
      'DATABASE_REPLICA_URLS requires DATABASE_URL',
    ],
    [
      'two base maps',
      { BASEMAP_STYLE_URL: 'https://tiles.example.org/style.json', BASEMAP_PMTILES: 'city.pmtiles' },
      'BASEMAP_STYLE_URL and BASEMAP_PMTILES are both set: remove one of them',
    ],
    [
      'a base map of an unsafe address',
      { BASEMAP_STYLE_URL: 'javascript:alert(1)' },
      'BASEMAP_STYLE_URL must be an http or https address without user or password',
    ],
  ])('refuses %s', (_, env, message) => {
    expect(() => readConfig(env)).toThrow(message)
  })

  it('does not require PUBLIC_URL for commands that write no URLs', () => {
    expect(readConfig({ DATABASE_URL: 'postgres://db/fixpoint' }, { requirePublicUrl: false })).toMatchObject({
      databaseUrl: 'postgres://db/fixpoint',
      publicUrl: undefined,
      migrateOnStart: false,
    })
  })
})

describe('documentation of the environment', () => {
  it('has a description and allowed values for every variable', () => {
    expect(Object.values(Environment.properties)).toEqual(
      names.map(
        () =>
          expect.objectContaining({ description: expect.stringMatching(/\.$/), allowed: expect.stringMatching(/\w/) }) as object,
      ),
    )
  })

  it('matches src/config.ts in .env.example', () => {
    expect(readFileSync('.env.example', 'utf8')).toBe(envExample())
  })

  it('matches src/config.ts in docs/configuration.md', () => {
    const document = readFileSync('docs/configuration.md', 'utf8')

    expect(document.split('<!-- configuration -->')[1]?.split('<!-- /configuration -->')[0]?.trim()).toBe(configurationTable())
  })
})
