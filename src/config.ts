import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'

import { listConflicts } from './environment/conflicts.ts'
import { isValidValue } from './environment/formats.ts'
import { UserFacingError } from './errors/user-facing-error.ts'
import { addPassword, readSecretFiles } from './environment/secret-files.ts'

/**
 * `description` and `allowed` also appear in `.env.example`, docs/configuration.md and error messages; tests compare them. A
 * `secret` can be read from the file that `NAME_FILE` names. Only start files pass `process.env`, to `readConfig`.
 */
export const Environment = Type.Object({
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 3000,
    description: 'Port to listen on; 0 takes a free one.',
    allowed: 'an integer from 0 to 65535',
  }),
  HOST: Type.String({
    minLength: 1,
    default: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 listens on all interfaces.',
    allowed: 'a host name or an IP address',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@\\s]+(/[^?#\\s]*)?$',
      description: 'Public address of the service; every absolute URL starts with it. Required with `DATABASE_URL`.',
      allowed: 'an http or https address without user, password or query',
    }),
  ),
  TRUST_PROXY: Type.Optional(
    Type.String({
      pattern: '^(\\d{1,2}|[0-9a-fA-F.:]+(/\\d{1,3})?(\\s*,\\s*[0-9a-fA-F.:]+(/\\d{1,3})?)*)$',
      description: 'Proxies whose X-Forwarded-* headers are trusted: their number, or their addresses. Default: none.',
      allowed: 'a number of hops, or addresses and CIDR ranges separated by commas',
    }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://\\S+$',
      description: 'PostgreSQL (15 or newer) with PostGIS (3.3 or newer). Default: the embedded database in `DATA_DIR`.',
      allowed: 'an address like postgres://user:password@host:5432/name',
      secret: true,
    }),
  ),
  DATABASE_REPLICA_URLS: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://[^\\s,]+(\\s*,\\s*postgres(ql)?://[^\\s,]+)*$',
      description: 'Read replicas of `DATABASE_URL`.',
      allowed: 'addresses like postgres://user:password@host:5432/name separated by commas',
      secret: true,
    }),
  ),
  PGPASSWORD: Type.Optional(
    Type.String({
      description: 'Password of the database and its replicas, for addresses without one.',
      allowed: 'any text',
      secret: true,
    }),
  ),
  REDIS_URL: Type.Optional(
    Type.String({
      pattern: '^rediss?://\\S+$',
      description: 'Redis for the queue and the rate limit. Default: PostgreSQL, or memory on the embedded database.',
      allowed: 'an address like redis://host:6379',
      secret: true,
    }),
  ),
  DATA_DIR: Type.String({
    minLength: 1,
    default: './data',
    description: 'Folder for the embedded database, files and mails.',
    allowed: 'the path of a folder',
  }),
  DEMO: Type.Optional(
    Type.Union([Type.Literal('on'), Type.Literal('off')], {
      description: 'Fill an empty database with eight demo cities. Default: `on` only for a new embedded database.',
      allowed: 'on or off',
    }),
  ),
  RATE_LIMIT: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 20,
    description:
      'Requests that each caller may send to `/api/v2` in a minute. For pages, feeds and pictures, each client address may send a multiple.',
    allowed: 'an integer from 1',
  }),
  REGISTRATION_LIMIT: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 5,
    description: 'Accounts that each client address may register in an hour; 0 closes registration.',
    allowed: 'an integer from 0',
  }),
  EXPORTS: Type.Union(
    ['open', 'token', 'off'].map((access) => Type.Literal(access)),
    {
      default: 'open',
      description:
        'Who may download everything at once, from `/exports` and from `/feeds/issues.geojson` without pages: everyone, callers with credentials (`token`), or no one.',
      allowed: 'open, token or off',
    },
  ),
  GEOCODER_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^?#\\s]+$',
      description:
        'A Nominatim-compatible server: the report pages search addresses there and fill in the address of a spot, and the API resolves the deprecated `address` parameter. Default: no address search, and 422 for that parameter.',
      allowed: 'an http or https address without query',
      secret: true,
    }),
  ),
  BASEMAP_STYLE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@\\s]+(/[^#\\s]*)?$',
      description: 'MapLibre style of another server, from which browsers load the base map. Default: an own base map.',
      allowed: 'an http or https address without user or password',
    }),
  ),
  BASEMAP_PMTILES: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'PMTiles file of Protomaps, from which this service serves the base map. Default: an own base map.',
      allowed: 'the path of a file',
    }),
  ),
  S3_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^:@/?#\\s]+:[^:@/?#\\s]+@[^/?#\\s]+/[^/?#\\s]+(\\?region=[\\w-]+)?$',
      description:
        'Storage of pictures, `https://KEY:SECRET@host/bucket?region=…` (any S3-compatible service). Default: a folder in `DATA_DIR`.',
      allowed: 'an http or https address with key, secret (a / in it as %2F) and bucket: https://KEY:SECRET@host/bucket',
      secret: true,
    }),
  ),
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://([^\\s/?#@]+@)?[^\\s/?#@]+/?$',
      description: 'Mail server. Default: mails are written to `DATA_DIR`/mails, and `/dev/mails` shows them on this machine.',
      allowed: 'an address like smtp://user:password@host:587 or smtps://user:password@host',
      secret: true,
    }),
  ),
  SMTP_CONNECTIONS: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 10,
    description: 'Maximum number of connections of each process to the mail server.',
    allowed: 'an integer from 1 to 100',
  }),
  MAIL_FROM: Type.Optional(
    Type.String({
      pattern: '^([^<>@\\s][^<>@]* <[^\\s<>@,;]+@[^\\s<>@,;]+>|[^\\s<>@,;]+@[^\\s<>@,;]+)$',
      description: 'Sender of mails. Default: `Fixpoint`, no-reply at the host of `PUBLIC_URL`.',
      allowed: 'an e-mail address, or a name and an address like City Hall <city@example.org>',
    }),
  ),
  CONTACT: Type.Optional(
    Type.String({
      pattern: '^([^<>@\\s][^<>@]* <[^\\s<>@,;]+@[^\\s<>@,;]+>|[^\\s<>@,;]+@[^\\s<>@,;]+)$',
      description: 'Operator of the service, whom `/about`, `/privacy` and `/terms` name. Default: the pages name no one.',
      allowed: 'an e-mail address, or a name and an address like City Hall <city@example.org>',
    }),
  ),
  WORKER_QUEUES: Type.Optional(
    Type.String({
      pattern: '^[a-z]+(\\s*,\\s*[a-z]+)*$',
      description: 'Queues whose jobs a worker process runs. Default: all queues.',
      allowed: 'one or more of events, moderation, notifications, mails, media, archive separated by commas',
    }),
  ),
  OPS_TOKEN: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{16,200}$',
      description:
        'Gives access to `/ops` and `/metrics`, as a Bearer token or as the password of the user `ops`. Admins have access without it.',
      allowed: '16 to 200 ASCII characters without spaces',
      secret: true,
    }),
  ),
  LOG_LEVEL: Type.Union(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level) => Type.Literal(level)),
    {
      default: 'info',
      description: 'Minimum severity of the log lines that are written.',
      allowed: 'trace, debug, info, warn, error, fatal or silent',
    },
  ),
})

export interface Config {
  readonly port: number
  readonly host: string
  /** URL without a trailing slash. If undefined, the loopback address is used. */
  readonly publicUrl: string | undefined
  readonly trustProxy: false | number | readonly string[]
  readonly databaseUrl: string | undefined
  readonly replicaUrls: readonly string[]
  readonly redisUrl: string | undefined
  readonly dataDir: string
  readonly demo: boolean | undefined
  readonly rateLimit: number
  readonly registrationLimit: number
  readonly exports: 'open' | 'token' | 'off'
  readonly geocoderUrl: string | undefined
  /** At most one of the two is set. */
  readonly basemapStyleUrl: string | undefined
  readonly basemapPmtiles: string | undefined
  readonly s3Url: string | undefined
  /** URL that may contain a password and must not be logged. If undefined, mails are written to a folder. */
  readonly smtpUrl: string | undefined
  readonly smtpConnections: number
  readonly mailFrom: string | undefined
  readonly contact: string | undefined
  readonly workerQueues: readonly string[] | undefined
  /** Secret that must not be logged. If undefined, only an Admin may read `/ops` and `/metrics`. */
  readonly opsToken: string | undefined
  readonly logLevel: string
}

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

function toConfig(env: Static<typeof Environment>): Config {
  const list = (text: string | undefined) => text?.split(',').map((part) => part.trim()) ?? []
  const proxies = env.TRUST_PROXY
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    trustProxy: proxies === undefined ? false : /^\d+$/.test(proxies) ? Number(proxies) || false : list(proxies),
    databaseUrl: env.DATABASE_URL === undefined ? undefined : addPassword(env.DATABASE_URL, env.PGPASSWORD),
    replicaUrls: list(env.DATABASE_REPLICA_URLS).map((address) => addPassword(address, env.PGPASSWORD)),
    redisUrl: env.REDIS_URL,
    dataDir: env.DATA_DIR,
    demo: env.DEMO === undefined ? undefined : env.DEMO === 'on',
    rateLimit: env.RATE_LIMIT,
    registrationLimit: env.REGISTRATION_LIMIT,
    exports: env.EXPORTS,
    geocoderUrl: env.GEOCODER_URL?.replace(/\/+$/, ''),
    basemapStyleUrl: env.BASEMAP_STYLE_URL,
    basemapPmtiles: env.BASEMAP_PMTILES,
    s3Url: env.S3_URL,
    smtpUrl: env.SMTP_URL,
    smtpConnections: env.SMTP_CONNECTIONS,
    mailFrom: env.MAIL_FROM,
    contact: env.CONTACT,
    workerQueues: env.WORKER_QUEUES === undefined ? undefined : [...new Set(list(env.WORKER_QUEUES))],
    opsToken: env.OPS_TOKEN,
    logLevel: env.LOG_LEVEL,
  }
}
