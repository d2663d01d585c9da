import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'

interface Exposure {
  readonly host: string
  readonly publicUrl: string | undefined
  readonly smtpUrl: string | undefined
}

/** Other machines connect directly, or through a proxy at PUBLIC_URL. */
export const isExposed = ({ host, publicUrl }: Pick<Exposure, 'host' | 'publicUrl'>): boolean =>
  !isLoopback(host) || (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname))

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? /^(.+\.)?localhost\.?$/i.test(bare) : ipaddr.process(bare).range() === 'loopback'
}

/** Unsent mails at `/dev/mails` are shown only to this machine. */
export const hasDevMails = (config: Exposure): boolean => config.smtpUrl === undefined && !isExposed(config)

export const unsentMailsWarning = ({ publicUrl, smtpUrl }: Pick<Exposure, 'publicUrl' | 'smtpUrl'>): string | undefined =>
  smtpUrl === undefined && publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname)
    ? 'PUBLIC_URL is not on this machine and SMTP_URL is not set: mails are written to the folder mails in DATA_DIR and are not sent. Set SMTP_URL to send them.'
    : undefined

/** Returns a line for each variable that another one requires or excludes. */
export function listConflicts(variables: Readonly<Record<string, unknown>>, requirePublicUrl: boolean): string[] {
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_REPLICA_URLS, PUBLIC_URL, BASEMAP_STYLE_URL, BASEMAP_PMTILES } = variables
  const { DATABASE_POOLER, REDIS_SENTINELS, REDIS_URL } = variables
  const isSet = (value: unknown) => value !== undefined
  const conflicts: readonly (readonly [isConflict: boolean, line: string])[] = [
    [
      requirePublicUrl && isSet(DATABASE_URL) && !isSet(PUBLIC_URL),
      'PUBLIC_URL must be set if DATABASE_URL is set: links in responses and mails start with it',
    ],
    [isSet(DATABASE_REPLICA_URLS) && !isSet(DATABASE_URL), 'DATABASE_REPLICA_URLS requires DATABASE_URL'],
    [isSet(DATABASE_DIRECT_URL) && !isSet(DATABASE_URL), 'DATABASE_DIRECT_URL requires DATABASE_URL'],
    [isSet(DATABASE_POOLER) !== isSet(DATABASE_DIRECT_URL), 'DATABASE_POOLER and DATABASE_DIRECT_URL require each other'],
    [isSet(REDIS_SENTINELS) && !isSet(REDIS_URL), 'REDIS_SENTINELS requires REDIS_URL, whose host is the name of the primary'],
    [isSet(BASEMAP_STYLE_URL) && isSet(BASEMAP_PMTILES), 'BASEMAP_STYLE_URL and BASEMAP_PMTILES are both set: remove one of them'],
  ]
  return conflicts.flatMap(([isConflict, line]) => (isConflict ? line : []))
}
