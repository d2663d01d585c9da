import { once } from 'node:events'
import { createServer } from 'node:net'

import type { Config } from '../config.ts'
import { UserFacingError } from '../errors/user-facing-error.ts'

type ListenAddress = Pick<Config, 'host' | 'port'>

/** A wrong address is reported before a database is created. @throws UserFacingError that names HOST or PORT */
export async function checkPort({ host, port }: ListenAddress): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen({ host, port }), 'listening')
    await new Promise((closed) => probe.close(closed))
  } catch (error) {
    throw explainListenError(error, { host, port })
  }
}

/** Returns an unknown error unchanged. */
export function explainListenError(error: unknown, { host, port }: ListenAddress): unknown {
  const { code = '' } = error as { code?: string }
  const here = 'set HOST to an address of this machine, to 127.0.0.1 for this machine only, or to 0.0.0.0 for all networks.'
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `${hostInUrl(host)}:${port} is in use by another program: stop that program, or set another PORT.`,
    EACCES: `This user may not listen on port ${port}: set PORT to 1024 or higher.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: ${here}`,
    ENOTFOUND: `The host name ${host} is unknown: ${here}`,
    EAI_AGAIN: `The host name ${host} cannot be resolved: ${here}`,
    EAFNOSUPPORT: `This machine does not support the address family of ${host}: ${here}`,
    EINVAL: `${host} is not an address for listening: ${here}`,
  }
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : undefined
  return sentence === undefined ? error : new UserFacingError(sentence, { cause: error })
}

export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)
