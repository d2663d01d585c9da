import type { Static } from 'typebox'
import { Value } from 'typebox/value'

import { readBaseMapChoice } from './environment/base-map-choice.ts'
import { addPassword } from './environment/database-address.ts'
import { listConflicts } from './environment/exposure.ts'
import { isValidValue } from './environment/formats.ts'
import { UserFacingError } from './environment/user-facing-error.ts'
import { readSecretFiles } from './environment/secret-files.ts'
import { Environment } from './environment/variables.ts'

/** Values that may contain a secret, such as URLs and the token, must not be logged. */
export type Config = Readonly<ReturnType<typeof toConfig>>

export class ConfigError extends UserFacingError {
  override name = 'ConfigError'
}

/**
 * Returns a frozen object. Blank variables count as not set.
 * @param requirePublicUrl false for commands that write no URLs
 * @throws ConfigError with every invalid variable and its allowed values
 */
export function readConfig(env: Record<string, string | undefined>, { requirePublicUrl = true } = {}): Config {
  const secrets = readSecretFiles(env, Environment.properties)
  const variables = Object.fromEntries(
    Object.keys(Environment.properties)
      // Passwords may begin or end with spaces.
      .map((name) => [name, name === 'PGPASSWORD' ? secrets.env[name] : secrets.env[name]?.trim()] as const)
      .filter(([, text]) => text !== undefined && text !== ''),
  )
  const values = Value.Default(Environment, parseIntegers(variables))
  const errors = [...secrets.errors, ...listErrors(values, secrets.fromFiles, requirePublicUrl)]
  if (!Value.Check(Environment, values) || errors.length > 0) {
    throw new ConfigError(
      `The service cannot start because the environment is invalid:\n${errors.map((line) => `  ${line}`).join('\n')}`,
    )
  }
  return Object.freeze(toConfig(values))
}

/** Converts decimal digits only: `Number()` would also accept '0x10', '1e3' and ' 5'. */
function parseIntegers(variables: Record<string, string | undefined>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, text]) => {
      const isInteger = (Environment.properties as Record<string, { type?: string }>)[name]?.type === 'integer'
      return [name, isInteger && text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : text]
    }),
  )
}

function listErrors(values: unknown, fromFiles: ReadonlySet<string>, requirePublicUrl: boolean): string[] {
  const lines = Object.entries(Environment.properties).flatMap(([name, schema]) => {
    const value = (values as Record<string, unknown>)[name]
    if (value === undefined || (Value.Check(schema, value) && isValidValue(name, value))) return []
    const { allowed } = schema as unknown as { allowed: string }
    return [fromFiles.has(name) ? `${name}_FILE must name a file that contains ${allowed}` : `${name} must be ${allowed}`]
  })
  return [...lines, ...listConflicts(values as Record<string, unknown>, requirePublicUrl)]
}

function toConfig(env: Static<typeof Environment>) {
  const list = (text: string | undefined) => text?.split(',').map((part) => part.trim()) ?? []
  const proxies = env.TRUST_PROXY
  const trusted: false | number | readonly string[] =
    proxies === undefined ? false : /^\d+$/.test(proxies) ? Number(proxies) || false : list(proxies)
  const isBaseMapSet = env.BASEMAP_STYLE_URL !== undefined || env.BASEMAP_PMTILES !== undefined
  const baseMap = isBaseMapSet ? {} : readBaseMapChoice(env.DATA_DIR)
  return {
    port: env.PORT,
    host: env.HOST,
    /** URL without a trailing slash. If undefined, the loopback address is used. */
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    trustProxy: trusted,
    databaseUrl: env.DATABASE_URL === undefined ? undefined : addPassword(env.DATABASE_URL, env.PGPASSWORD),
    /** Address of the server behind a pooler. */
    directUrl: env.DATABASE_DIRECT_URL === undefined ? undefined : addPassword(env.DATABASE_DIRECT_URL, env.PGPASSWORD),
    replicaUrls: list(env.DATABASE_REPLICA_URLS).map((address) => addPassword(address, env.PGPASSWORD)),
    databasePools: { read: env.DATABASE_POOL_READ, write: env.DATABASE_POOL_WRITE, export: env.DATABASE_POOL_EXPORT },
    /** If false, a start with pending migrations is refused. */
    migrateOnStart: env.MIGRATE_ON_START === undefined ? env.DATABASE_URL === undefined : env.MIGRATE_ON_START === 'on',
    redisUrl: env.REDIS_URL,
    redisSentinels: list(env.REDIS_SENTINELS),
    dataDir: env.DATA_DIR,
    demo: env.DEMO === undefined ? undefined : env.DEMO === 'on',
    rateLimit: env.RATE_LIMIT,
    registrationLimit: env.REGISTRATION_LIMIT,
    draftLimit: env.DRAFT_LIMIT,
    exports: env.EXPORTS,
    /** Sources of CSP `frame-ancestors` for `/embed`, besides this service. */
    embedOrigins: env.EMBED_ORIGINS === undefined ? ['*'] : env.EMBED_ORIGINS === 'none' ? [] : list(env.EMBED_ORIGINS),
    geocoderUrl: env.GEOCODER_URL?.replace(/\/+$/, ''),
    geocoderLimit: env.GEOCODER_LIMIT,
    emergencyNumber: env.EMERGENCY_NUMBER,
    mediaUrlHosts: list(env.MEDIA_URL_HOSTS),
    /** At most one of the two is set, by a variable or by `npm run basemap`. */
    basemapStyleUrl: env.BASEMAP_STYLE_URL ?? baseMap.styleUrl,
    basemapPmtiles: env.BASEMAP_PMTILES ?? baseMap.pmtiles,
    s3Url: env.S3_URL,
    backupS3Url: env.BACKUP_S3_URL,
    /** If undefined, mails are written to a folder. */
    smtpUrl: env.SMTP_URL,
    smtpConnections: env.SMTP_CONNECTIONS,
    /** The limit is off with 0. */
    mailDomainRate: env.MAIL_DOMAIN_RATE,
    mailHookSecret: env.MAIL_HOOK_SECRET,
    mailFrom: env.MAIL_FROM,
    dkimKey: env.DKIM_KEY,
    dkimSelector: env.DKIM_SELECTOR,
    contact: env.CONTACT,
    forwardAllow: list(env.FORWARD_ALLOW),
    workerQueues: env.WORKER_QUEUES === undefined ? undefined : [...new Set(list(env.WORKER_QUEUES))],
    /** A worker does not listen on port 0. */
    workerPort: env.WORKER_PORT,
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, ''),
    tracesRatio: Number(env.OTEL_TRACES_SAMPLER_ARG),
    slowStatementMs: env.SLOW_STATEMENT_MS,
    /** If undefined, only an Admin may read `/ops` and `/metrics`. */
    opsToken: env.OPS_TOKEN,
    streamSecondsMax: env.STREAM_SECONDS_MAX,
    drainSeconds: env.DRAIN_SECONDS,
    logLevel: env.LOG_LEVEL,
  }
}
