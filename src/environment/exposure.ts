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
