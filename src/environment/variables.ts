import Type, { type TProperties } from 'typebox'

import variables from './variables.json' with { type: 'json' }

const choice = <const Values extends readonly string[]>(...values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values })
const text = () => Type.Optional(Type.String())

/**
 * The types of the variables. `variables.json` has the rest of their schemas. `description` and `allowed` also appear in `.env.example`,
 * docs/configuration.md and error messages; tests compare them. A `secret` can be read from the file that `NAME_FILE` names. Only start
 * files pass `process.env`, to `readConfig`.
 */
export const Environment = Type.Object(
  withData({
    PORT: Type.Integer(),
    HOST: Type.String(),
    PUBLIC_URL: text(),
    TRUST_PROXY: text(),
    DATABASE_URL: text(),
    DATABASE_REPLICA_URLS: text(),
    PGPASSWORD: text(),
    DATABASE_POOLER: Type.Optional(choice('transaction')),
    DATABASE_DIRECT_URL: text(),
    DATABASE_POOL_READ: Type.Integer(),
    DATABASE_POOL_WRITE: Type.Integer(),
    DATABASE_POOL_EXPORT: Type.Integer(),
    MIGRATE_ON_START: Type.Optional(choice('on', 'off')),
    REDIS_URL: text(),
    REDIS_SENTINELS: text(),
    DATA_DIR: Type.String(),
    DEMO: Type.Optional(choice('on', 'off')),
    RATE_LIMIT: Type.Integer(),
    REGISTRATION_LIMIT: Type.Integer(),
    DRAFT_LIMIT: Type.Integer(),
    EXPORTS: choice('open', 'token', 'off'),
    EMBED_ORIGINS: text(),
    GEOCODER_URL: text(),
    GEOCODER_LIMIT: Type.Integer(),
    EMERGENCY_NUMBER: text(),
    MEDIA_URL_HOSTS: text(),
    BASEMAP_STYLE_URL: text(),
    BASEMAP_PMTILES: text(),
    S3_URL: text(),
    BACKUP_S3_URL: text(),
    SMTP_URL: text(),
    SMTP_CONNECTIONS: Type.Integer(),
    MAIL_DOMAIN_RATE: Type.Integer(),
    MAIL_HOOK_SECRET: text(),
    DKIM_KEY: text(),
    DKIM_SELECTOR: Type.String(),
    MAIL_FROM: text(),
    CONTACT: text(),
    FORWARD_ALLOW: text(),
    WORKER_QUEUES: text(),
    WORKER_PORT: Type.Integer(),
    SLOW_STATEMENT_MS: Type.Integer(),
    OTEL_EXPORTER_OTLP_ENDPOINT: text(),
    OTEL_TRACES_SAMPLER_ARG: Type.String(),
    OPS_TOKEN: text(),
    STREAM_SECONDS_MAX: Type.Integer(),
    DRAIN_SECONDS: Type.Integer(),
    LOG_LEVEL: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  }),
)

/** An integer without a maximum may have any value that a number holds. */
function withData<Properties extends TProperties>(properties: Properties): Properties {
  const rows: Readonly<Record<string, object>> = variables
  for (const [name, schema] of Object.entries(properties)) {
    const { minimum, maximum, ...row }: { minimum?: number; maximum?: number } = rows[name] ?? {}
    const range = { minimum, maximum: maximum ?? Number.MAX_SAFE_INTEGER }
    const allowed = `an integer from ${minimum}${maximum === undefined ? '' : ` to ${maximum}`}`
    Object.assign(schema, minimum === undefined ? {} : { ...range, allowed }, row)
  }
  return properties
}
