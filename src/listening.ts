import ipaddr from 'ipaddr.js'
import { once } from 'node:events'
import { createServer, isIP } from 'node:net'

import type { Config } from './config.ts'
import { Explained } from './explained.ts'

type Address = Pick<Config, 'host' | 'port'>

/**
 * Listens for a moment, so that a wrong address is told before a database is made and filled.
 * @throws Explained naming HOST or PORT.
 */
export async function tryToListen({ host, port }: Address): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen({ host, port }), 'listening')
    await new Promise((closed) => probe.close(closed))
  } catch (error) {
    throw listenRefused(error, { host, port })
  }
}

/** Why nothing can listen there, with the variable to look at and what to do; any other error as it is. */
export function listenRefused(error: unknown, { host, port }: Address): unknown {
  const { code = '' } = error as { code?: string }
  const here = 'give HOST an address of this machine, 127.0.0.1 for this machine only or 0.0.0.0 for all networks.'
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `${hostInUrl(host)}:${port} is in use by another program: stop that, or give another PORT.`,
    EACCES: `This user may not listen on port ${port}: give a PORT from 1024.`,
    EADDRNOTAVAIL: `${host} is no address of this machine: ${here}`,
    ENOTFOUND: `The name ${host} is not known: ${here}`,
    EAI_AGAIN: `The name ${host} cannot be looked up: ${here}`,
    EAFNOSUPPORT: `This machine has no network of the kind of ${host}: ${here}`,
    EINVAL: `Nothing can listen on ${host}: ${here}`,
  }
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : undefined
  return sentence === undefined ? error : new Explained(sentence, { cause: error })
}

/** IPv6 addresses stand in brackets. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Whether others than this machine itself are meant to reach the service, be it through a proxy. */
export const isForOthers = ({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean =>
  !isLoopback(host) || (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname))

/** Whether only this machine itself reaches that host. */
function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? /^(.+\.)?localhost\.?$/i.test(bare) : ipaddr.process(bare).range() === 'loopback'
}

/** Whether mails that have no server to go to may be looked at: only where nobody but this machine is served. */
export const hasDevMails = (config: Pick<Config, 'host' | 'publicUrl' | 'smtpUrl'>): boolean =>
  config.smtpUrl === undefined && !isForOthers(config)

/** The warning of a service that others reach and that has no server for its mails; undefined for any other. */
export const warningOfUnsentMails = ({ publicUrl, smtpUrl }: Pick<Config, 'publicUrl' | 'smtpUrl'>): string | undefined =>
  smtpUrl === undefined && publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname)
    ? 'PUBLIC_URL is beyond this machine and SMTP_URL is not set: mails are written to the folder mails in DATA_DIR and are not sent.'
    : undefined
