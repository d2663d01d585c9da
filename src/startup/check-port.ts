import { once } from 'node:events'
import { createServer } from 'node:net'

import type { Config } from '../config.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'

type ListenAddress = Pick<Config, 'host' | 'port'>

/**
 * Listens from before a database is created until the service itself does, so that no other program takes the port meanwhile. Closes
 * each connection at once. Returns the function that frees the port.
 * @throws UserFacingError that names HOST or PORT
 */
export async function holdPort({ host, port }: ListenAddress): Promise<() => Promise<void>> {
  const holder = createServer((socket) => socket.destroy())
  try {
    await once(holder.listen({ host, port }), 'listening')
  } catch (error) {
    throw explainListenError(error, { host, port })
  }
  // The start may fail before the port is freed, and its process ends then.
  holder.unref()
  return () => new Promise((freed) => holder.close(() => freed()))
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
