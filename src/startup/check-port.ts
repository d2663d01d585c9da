import { once } from 'node:events'
import { createServer } from 'node:net'

import type { Config } from '../config.ts'
import { UserFacingError } from '../errors/user-facing-error.ts'

type Address = Pick<Config, 'host' | 'port'>

/**
 * Listens for a moment, so that a wrong address is told before a database is made and filled.
 * @throws UserFacingError naming HOST or PORT.
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
  return sentence === undefined ? error : new UserFacingError(sentence, { cause: error })
}

/** IPv6 addresses stand in brackets. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)
