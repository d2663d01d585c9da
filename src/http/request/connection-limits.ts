import type { FastifyBaseLogger } from 'fastify'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { clientKey, NETWORK_FACTOR, networkKey } from './client-address.ts'

/** Files that a process needs for other things than connections of clients: the database, pictures, temporary files. */
const RESERVED_FILES = 512
/** An idle connection takes about 10 kB. */
const CONNECTIONS_MAX = 10_000
const CLIENT_SHARE = 1 / 20
/** An office of ten browsers, which open six connections each, may share an address. */
const CLIENT_MIN = 60
/** Limit where the operating system does not say how many files a process may open. */
const FILES_FALLBACK = 4_096
const WARN_EVERY_MS = 60_000

interface ConnectionLimits {
  /** Returns true for an address that has no limit of its own, because connections of all clients come from it. */
  readonly isProxy: (address: string) => boolean
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly filesMax?: number
}

/** Connections that share a limit. */
interface Group {
  readonly key: string
  readonly max: number
  open: number
  /** Connections without a complete request, in the order in which they became idle. */
  readonly idle: Set<Socket>
}

/**
 * Limits the connections of a server by the open files of the process: in all, by client and by network, as the rate limit names them. The oldest
 * idle connection is closed for a new one; if none is idle, the new one is closed. Without a free file descriptor, the server stays up.
 */
export function limitConnections(server: Server, { isProxy, log, filesMax = readOpenFilesMax() }: ConnectionLimits): void {
  const connectionsMax = Math.min(CONNECTIONS_MAX, Math.max(Math.floor(filesMax / 2), filesMax - RESERVED_FILES))
  const clientMax = Math.max(CLIENT_MIN, Math.floor(connectionsMax * CLIENT_SHARE))
  const all: Group = { key: 'all', max: connectionsMax, open: 0, idle: new Set() }
  const groups = new Map([[all.key, all]])
  const groupsOf = new Map<Socket, readonly Group[]>()

  const toGroup = (key: string, max: number) => groups.get(key) ?? { key, max, open: 0, idle: new Set<Socket>() }
  const findGroups = (address: string): readonly Group[] => {
    if (isProxy(address)) return [all]
    const client = clientKey({ ip: address })
    const network = networkKey(client)
    const networks = network === undefined ? [] : [toGroup(network, NETWORK_FACTOR * clientMax)]
    return [toGroup(client, clientMax), ...networks, all]
  }
  const forget = (socket: Socket) => {
    for (const group of groupsOf.get(socket) ?? []) {
      group.idle.delete(socket)
      group.open -= 1
      if (group.open === 0 && group !== all) groups.delete(group.key)
    }
    groupsOf.delete(socket)
  }
  const closeOldestIdle = ({ idle }: Group): boolean => {
    const [oldest] = idle
    if (!oldest) return false
    forget(oldest)
    oldest.destroy()
    return true
  }

  server.prependListener('connection', (socket: Socket) => {
    const own = findGroups(socket.remoteAddress ?? '')
    if (own.some((group) => group.open >= group.max && !closeOldestIdle(group))) return socket.destroy()
    for (const group of own) {
      groups.set(group.key, group)
      group.open += 1
      group.idle.add(socket)
    }
    groupsOf.set(socket, own)
    return socket.once('close', () => forget(socket))
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    groupsOf.get(socket)?.forEach(({ idle }) => idle.delete(socket))
    response.once('close', () => groupsOf.get(socket)?.forEach(({ idle }) => idle.add(socket)))
  })

  let nextWarningAt = 0
  // Errors before are those of `listen`, and an error without a listener ends the process.
  server.once('listening', () =>
    server.on('error', (error) => {
      closeOldestIdle(all)
      if (performance.now() < nextWarningAt) return
      nextWarningAt = performance.now() + WARN_EVERY_MS
      log.warn({ err: error }, 'a connection was not accepted')
    }),
  )
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
