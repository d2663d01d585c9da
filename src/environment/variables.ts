import Type from 'typebox'

const poolSize = (minimum: number, initial: number, description: string) =>
  Type.Integer({ minimum, maximum: 1_000, default: initial, description, allowed: `an integer from ${minimum} to 1000` })

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
      allowed:
        'an address like postgres://user:password@host:5432/name, or one like postgres://user@one,two/name?target_session_attrs=read-write',
      secret: true,
    }),
  ),
  DATABASE_REPLICA_URLS: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://[^\\s,]+(\\s*,\\s*postgres(ql)?://[^\\s,]+)*$',
      description: 'Nodes that may be read replicas of `DATABASE_URL`; the one that is the primary now is left out.',
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
  DATABASE_POOL_READ: poolSize(
    1,
    10,
    'Connections of each process for reading, to `DATABASE_URL` and to each replica. Pages may use half of them.',
  ),
  DATABASE_POOL_WRITE: poolSize(2, 10, 'Connections of each process for changes, credentials and jobs.'),
  DATABASE_POOL_EXPORT: poolSize(1, 4, 'Connections of each process for whole downloads, which may take minutes.'),
  MIGRATE_ON_START: Type.Optional(
    Type.Union([Type.Literal('on'), Type.Literal('off')], {
      description:
        'Apply pending migrations at every start. With `off` a start with pending ones is refused, and `npm run migrate` applies them. Default: `off` with `DATABASE_URL`, else `on`.',
      allowed: 'on or off',
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
    description:
      'Accounts that each client address may register in an hour; 0 closes registration. A report by e-mail alone adds the account of its address in any case.',
    allowed: 'an integer from 0',
  }),
  DRAFT_LIMIT: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 10_000,
    description:
      'Megabytes of pictures that drafts of reports, which need no account, may add in a day, from all clients together.',
    allowed: 'an integer from 1 to 1000000',
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
  EMBED_ORIGINS: Type.Optional(
    Type.String({
      pattern: '^(none|https?://[^/?#@\\s,]+(\\s*,\\s*https?://[^/?#@\\s,]+)*)$',
      description:
        'Sites that may show the map of `/embed` in a frame. It has public data only, and no session. Default: all sites.',
      allowed: 'none, or origins like https://www.example.org separated by commas',
    }),
  ),
  GEOCODER_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^?#\\s]+$',
      description:
        'A Nominatim-compatible server: the map and the report pages search addresses there and fill in the address of a spot, and the API resolves the deprecated `address` parameter. Default: the search knows only the addresses of issues, and that parameter is 422.',
      allowed: 'an http or https address without query',
      secret: true,
    }),
  ),
  GEOCODER_LIMIT: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 1,
    description: 'Requests that each web process may send to `GEOCODER_URL` in a second.',
    allowed: 'an integer from 1 to 1000',
  }),
  EMERGENCY_NUMBER: Type.Optional(
    Type.String({
      pattern: '^\\+?\\d[\\d -]{0,18}$',
      description: 'Telephone number that the report pages name for emergencies, such as 911. Default: “your emergency number”.',
      allowed: 'digits, spaces and hyphens, with or without a + before',
    }),
  ),
  MEDIA_URL_HOSTS: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9.-]+(:\\d{1,5})?(\\s*,\\s*[a-z0-9.-]+(:\\d{1,5})?)*$',
      description: 'Hosts to which an Open311 report may link by `media_url`; nothing is fetched from them. Default: none.',
      allowed: 'host names in lower case separated by commas',
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
  FORWARD_ALLOW: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F.:]+/\\d{1,3}(\\s*,\\s*[0-9a-fA-F.:]+/\\d{1,3})*$',
      description:
        'Networks of Open311 endpoints to which issues may be forwarded although their addresses are private, also without https. Default: none.',
      allowed: 'CIDR ranges separated by commas',
    }),
  ),
  WORKER_QUEUES: Type.Optional(
    Type.String({
      pattern: '^[a-z]+(\\s*,\\s*[a-z]+)*$',
      description: 'Queues whose jobs a worker process runs. Default: all queues.',
      allowed: 'one or more of events, moderation, notifications, mails, media, archive, forwarding separated by commas',
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
  DRAIN_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 300,
    default: 5,
    description:
      'Seconds after SIGTERM in which a web process still serves new connections, while `/health/ready` is 503. Ctrl+C (SIGINT) does not wait.',
    allowed: 'an integer from 0 to 300',
  }),
  LOG_LEVEL: Type.Union(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level) => Type.Literal(level)),
    {
      default: 'info',
      description: 'Minimum severity of the log lines that are written.',
      allowed: 'trace, debug, info, warn, error, fatal or silent',
    },
  ),
})
