import Type from 'typebox'

const UNLIMITED = Number.MAX_SAFE_INTEGER
const integer = (minimum: number, maximum: number, initial: number, description: string) =>
  Type.Integer({
    ...{ minimum, maximum, default: initial, description },
    allowed: `an integer from ${minimum}${maximum === UNLIMITED ? '' : ` to ${maximum}`}`,
  })
const choice = <const Values extends readonly string[]>(values: Values, more: object) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...more })
const onOrOff = (description: string) => Type.Optional(choice(['on', 'off'], { description, allowed: 'on or off' }))

interface Format {
  readonly pattern?: string
  readonly minLength?: number
  readonly allowed: string
}
const text = (format: Format, description: string) => Type.Optional(Type.String({ ...format, description }))
const secret = (format: Format, description: string) => Type.Optional(Type.String({ ...format, description, secret: true }))

const S3: Format = {
  pattern: '^https?://[^:@/?#\\s]+:[^:@/?#\\s]+@[^/?#\\s]+/[^/?#\\s]+(\\?region=[\\w-]+)?$',
  allowed: 'an http or https address with key, secret (a / in it as %2F) and bucket: https://KEY:SECRET@host/bucket',
}
const MAILBOX: Format = {
  pattern: '^([^<>@\\s][^<>@]* <[^\\s<>@,;]+@[^\\s<>@,;]+>|[^\\s<>@,;]+@[^\\s<>@,;]+)$',
  allowed: 'an e-mail address, or a name and an address like City Hall <city@example.org>',
}

/**
 * `description` and `allowed` also appear in `.env.example`, docs/configuration.md and error messages; tests compare them. A
 * `secret` can be read from the file that `NAME_FILE` names. Only start files pass `process.env`, to `readConfig`.
 */
export const Environment = Type.Object({
  PORT: integer(0, 65535, 3000, 'Port to listen on; 0 takes a free one.'),
  HOST: Type.String({
    minLength: 1,
    default: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 listens on all interfaces.',
    allowed: 'a host name or an IP address',
  }),
  PUBLIC_URL: text(
    { pattern: '^https?://[^/?#@\\s]+(/[^?#\\s]*)?$', allowed: 'an http or https address without user, password or query' },
    'Public address of the service; every absolute URL starts with it. Required with `DATABASE_URL`.',
  ),
  TRUST_PROXY: text(
    {
      pattern: '^(\\d{1,2}|[0-9a-fA-F.:]+(/\\d{1,3})?(\\s*,\\s*[0-9a-fA-F.:]+(/\\d{1,3})?)*)$',
      allowed: 'a number of hops, or addresses and CIDR ranges separated by commas',
    },
    'Proxies whose X-Forwarded-* headers are trusted: their number, or their addresses. Default: none.',
  ),
  DATABASE_URL: secret(
    {
      pattern: '^postgres(ql)?://\\S+$',
      allowed:
        'an address like postgres://user:password@host:5432/name, or one like postgres://user@one,two/name?target_session_attrs=read-write',
    },
    'PostgreSQL (15 or newer) with PostGIS (3.3 or newer). Default: the embedded database in `DATA_DIR`.',
  ),
  DATABASE_REPLICA_URLS: secret(
    {
      pattern: '^postgres(ql)?://[^\\s,]+(\\s*,\\s*postgres(ql)?://[^\\s,]+)*$',
      allowed: 'addresses like postgres://user:password@host:5432/name separated by commas',
    },
    'Nodes that may be read replicas of `DATABASE_URL`; the one that is the primary now is left out.',
  ),
  PGPASSWORD: secret({ allowed: 'any text' }, 'Password of the database and its replicas, for addresses without one.'),
  DATABASE_POOLER: Type.Optional(
    choice(['transaction'], {
      description:
        'A pooler in `DATABASE_URL` and replicas that gives connections for single transactions, such as PgBouncer. Default: none.',
      allowed: 'transaction',
    }),
  ),
  DATABASE_DIRECT_URL: secret(
    { pattern: '^postgres(ql)?://\\S+$', allowed: 'an address like that of DATABASE_URL' },
    'The server behind the pooler, for the queue, downloads, migrations and monitoring. Required with `DATABASE_POOLER`.',
  ),
  DATABASE_POOL_READ: integer(
    1,
    1_000,
    10,
    'Connections of each process for reading, to `DATABASE_URL` and to each replica. Pages may use half of them.',
  ),
  DATABASE_POOL_WRITE: integer(2, 1_000, 10, 'Connections of each process for changes, credentials and jobs.'),
  DATABASE_POOL_EXPORT: integer(1, 1_000, 4, 'Connections of each process for whole downloads, which may take minutes.'),
  MIGRATE_ON_START: onOrOff(
    'Apply pending migrations at every start. With `off` a start with pending ones is refused, and `npm run migrate` applies them. Default: `off` with `DATABASE_URL`, else `on`.',
  ),
  REDIS_URL: secret(
    { pattern: '^rediss?://\\S+$', allowed: 'an address like redis://host:6379' },
    'Redis for the queue and the rate limit. Default: PostgreSQL, or memory on the embedded database.',
  ),
  REDIS_SENTINELS: text(
    { pattern: '^[^\\s,:]+:\\d{1,5}(\\s*,\\s*[^\\s,:]+:\\d{1,5})*$', allowed: 'addresses like sentinel:26379 separated by commas' },
    'Redis Sentinels that know the primary, whose name is the host of `REDIS_URL`. With rediss:// they use TLS too.',
  ),
  DATA_DIR: Type.String({
    minLength: 1,
    default: './data',
    description: 'Folder for the embedded database, files and mails.',
    allowed: 'the path of a folder',
  }),
  DEMO: onOrOff('Fill an empty database with eight demo cities. Default: `on` only for a new embedded database.'),
  RATE_LIMIT: integer(
    1,
    UNLIMITED,
    20,
    'Requests that each caller may send to `/api/v2` in a minute. For pages, feeds and pictures, each client address may send a multiple.',
  ),
  REGISTRATION_LIMIT: integer(
    0,
    UNLIMITED,
    5,
    'Accounts that each client address may register in an hour; 0 closes registration. A report by e-mail alone adds the account of its address in any case.',
  ),
  DRAFT_LIMIT: integer(
    1,
    1_000_000,
    10_000,
    'Megabytes of pictures that drafts of reports, which need no account, may add in a day, from all clients together.',
  ),
  EXPORTS: choice(['open', 'token', 'off'], {
    default: 'open',
    description:
      'Who may download everything at once, from `/exports` and from `/feeds/issues.geojson` without pages: everyone, callers with credentials (`token`), or no one.',
    allowed: 'open, token or off',
  }),
  EMBED_ORIGINS: text(
    {
      pattern: '^(none|https?://[^/?#@\\s,]+(\\s*,\\s*https?://[^/?#@\\s,]+)*)$',
      allowed: 'none, or origins like https://www.example.org separated by commas',
    },
    'Sites that may show the map of `/embed` in a frame. It has public data only, and no session. Default: all sites.',
  ),
  GEOCODER_URL: secret(
    { pattern: '^https?://[^?#\\s]+$', allowed: 'an http or https address without query' },
    'A Nominatim-compatible server: the map and the report pages search addresses there and fill in the address of a spot, and the API resolves the deprecated `address` parameter. Default: the search knows only the addresses of issues, and that parameter is 422.',
  ),
  GEOCODER_LIMIT: integer(1, 1_000, 1, 'Requests that each web process may send to `GEOCODER_URL` in a second.'),
  EMERGENCY_NUMBER: text(
    { pattern: '^\\+?\\d[\\d -]{0,18}$', allowed: 'digits, spaces and hyphens, with or without a + before' },
    'Telephone number that the report pages name for emergencies, such as 911. Default: “your emergency number”.',
  ),
  MEDIA_URL_HOSTS: text(
    {
      pattern: '^[a-z0-9.-]+(:\\d{1,5})?(\\s*,\\s*[a-z0-9.-]+(:\\d{1,5})?)*$',
      allowed: 'host names in lower case separated by commas',
    },
    'Hosts to which an Open311 report may link by `media_url`; nothing is fetched from them. Default: none.',
  ),
  BASEMAP_STYLE_URL: text(
    { pattern: '^https?://[^/?#@\\s]+(/[^#\\s]*)?$', allowed: 'an http or https address without user or password' },
    'MapLibre style of another server, from which browsers load the base map. Default: an own base map.',
  ),
  BASEMAP_PMTILES: text(
    { minLength: 1, allowed: 'the path of a file' },
    'PMTiles file of Protomaps, from which this service serves the base map. Default: an own base map.',
  ),
  S3_URL: secret(
    S3,
    'Storage of pictures, `https://KEY:SECRET@host/bucket?region=…` (any S3-compatible service). Default: a folder in `DATA_DIR`.',
  ),
  BACKUP_S3_URL: secret(
    S3,
    'Server and key of backups at `s3://bucket/prefix`, whose bucket takes precedence. Default: those of `S3_URL`.',
  ),
  SMTP_URL: secret(
    {
      pattern: '^smtps?://([^\\s/?#@]+@)?[^\\s/?#@]+/?$',
      allowed: 'an address like smtp://user:password@host:587 or smtps://user:password@host',
    },
    'Mail server. Default: mails are written to `DATA_DIR`/mails, and `/dev/mails` shows them on this machine.',
  ),
  SMTP_CONNECTIONS: integer(1, 100, 10, 'Maximum number of connections of each process to the mail server.'),
  MAIL_DOMAIN_RATE: integer(
    0,
    UNLIMITED,
    0,
    'Notifications that all worker processes together send to the addresses of one domain in a minute, such as `gmail.com`; the others wait. With 0 there is no limit.',
  ),
  MAIL_HOOK_SECRET: secret(
    { pattern: '^[\\x21-\\x7e]{16,200}$', allowed: '16 to 200 ASCII characters without spaces' },
    'Key of the signatures of `POST /hooks/mail`, which takes reports about bounces and complaints. Default: there is no such address.',
  ),
  DKIM_KEY: secret(
    { pattern: '^-----BEGIN [A-Z ]*PRIVATE KEY-----\\s', allowed: 'a private key in PEM, as a file that DKIM_KEY_FILE names' },
    'Key that signs mails by DKIM for the domain of `MAIL_FROM`. Default: the mail server of `SMTP_URL` signs.',
  ),
  DKIM_SELECTOR: Type.String({
    ...{ pattern: '^[a-z0-9-]{1,63}$', default: 'fixpoint', allowed: 'lower-case letters, digits and hyphens' },
    description: 'Selector of `DKIM_KEY`: its public key is at `SELECTOR._domainkey` of the domain.',
  }),
  MAIL_FROM: text(MAILBOX, 'Sender of mails. Default: `Fixpoint`, no-reply at the host of `PUBLIC_URL`.'),
  CONTACT: text(MAILBOX, 'Operator of the service, whom `/about`, `/privacy` and `/terms` name. Default: the pages name no one.'),
  FORWARD_ALLOW: text(
    { pattern: '^[0-9a-fA-F.:]+/\\d{1,3}(\\s*,\\s*[0-9a-fA-F.:]+/\\d{1,3})*$', allowed: 'CIDR ranges separated by commas' },
    'Networks of Open311 endpoints to which issues may be forwarded although their addresses are private, also without https. Default: none.',
  ),
  WORKER_QUEUES: text(
    {
      pattern: '^[a-z]+(\\s*,\\s*[a-z]+)*$',
      allowed: 'one or more of events, moderation, notifications, mails, media, archive, forwarding separated by commas',
    },
    'Queues whose jobs a worker process runs. Default: all queues.',
  ),
  WORKER_PORT: integer(
    0,
    65535,
    0,
    'Port at `HOST` on which a worker process serves `/health` and `/metrics` without a password; with 0 it does not listen.',
  ),
  SLOW_STATEMENT_MS: integer(
    1,
    UNLIMITED,
    1_000,
    'Milliseconds after which a statement of a PostgreSQL server is logged with its name and text, without values.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: text(
    { pattern: '^https?://[^/?#@\\s]+(/[^?#\\s]*)?$', allowed: 'an http or https address without user, password or query' },
    'Collector of OpenTelemetry that takes traces by OTLP over HTTP, such as `http://127.0.0.1:4318`. Default: none.',
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.String({
    ...{ pattern: '^(0(\\.\\d{1,6})?|1(\\.0{1,6})?)$', default: '0.1', allowed: 'a number from 0 to 1' },
    description:
      'Share of the requests that are traced. A request whose `traceparent` says that its client traces it is always traced.',
  }),
  OPS_TOKEN: secret(
    { pattern: '^[\\x21-\\x7e]{16,200}$', allowed: '16 to 200 ASCII characters without spaces' },
    'Gives access to `/ops` and `/metrics`, as a Bearer token or as the password of the user `ops`. Admins have access without it.',
  ),
  DRAIN_SECONDS: integer(
    0,
    300,
    5,
    'Seconds after SIGTERM in which a web process still serves new connections, while `/health/ready` is 503. Ctrl+C (SIGINT) does not wait.',
  ),
  LOG_LEVEL: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    default: 'info',
    description: 'Minimum severity of the log lines that are written.',
    allowed: 'trace, debug, info, warn, error, fatal or silent',
  }),
})
