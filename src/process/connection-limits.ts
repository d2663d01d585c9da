import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Files that a process needs for other things than connections of clients: the database, pictures, temporary files. */
const RESERVED_FILES = 512
/** Share of all connections for one address. */
const ADDRESS_SHARE = 1 / 4
/** Limit where the operating system does not say how many files a process may open. */
const FILES_FALLBACK = 4_096

/**
 * Limits the connections of a server by the open files of the process, in all and by address, so that idle connections cannot use up the files.
 * Connections beyond the limits are closed at once.
 * @param isProxy returns true for an address that has no limit of its own, because connections of all clients come from it
 */
export function limitConnections(server: Server, isProxy: (address: string) => boolean, filesMax = readOpenFilesMax()): void {
  const connectionsMax = Math.max(Math.floor(filesMax / 2), filesMax - RESERVED_FILES)
  const perAddressMax = Math.floor(connectionsMax * ADDRESS_SHARE)
  const counts = new Map<string, number>()
  server.maxConnections = connectionsMax
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const count = counts.get(address) ?? 0
    if (count >= perAddressMax && !isProxy(address)) return socket.destroy()
    counts.set(address, count + 1)
    return socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1
      if (left > 0) counts.set(address, left)
      else counts.delete(address)
    })
  })
}

/** Returns the soft limit of open files (RLIMIT_NOFILE), which Linux shows as a file. */
function readOpenFilesMax(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? FILES_FALLBACK : Number(soft)
  } catch {
    return FILES_FALLBACK
  }
}
