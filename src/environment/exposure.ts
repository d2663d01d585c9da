import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'

/** What of the configuration says who may reach the service. */
interface Reach {
  readonly host: string
  readonly publicUrl: string | undefined
  readonly smtpUrl: string | undefined
}

/** Whether others than this machine itself are meant to reach the service, be it through a proxy. */
export const isForOthers = ({ host, publicUrl }: Pick<Reach, 'host' | 'publicUrl'>): boolean =>
  !isLoopback(host) || (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname))

/** Whether only this machine itself reaches that host. */
function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? /^(.+\.)?localhost\.?$/i.test(bare) : ipaddr.process(bare).range() === 'loopback'
}

/** Whether mails that have no server to go to may be looked at: only where nobody but this machine is served. */
export const hasDevMails = (config: Reach): boolean => config.smtpUrl === undefined && !isForOthers(config)

/** The warning of a service that others reach and that has no server for its mails; undefined for any other. */
export const warningOfUnsentMails = ({ publicUrl, smtpUrl }: Pick<Reach, 'publicUrl' | 'smtpUrl'>): string | undefined =>
  smtpUrl === undefined && publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname)
    ? 'PUBLIC_URL is beyond this machine and SMTP_URL is not set: mails are written to the folder mails in DATA_DIR and are not sent.'
    : undefined
