import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a TCP proxy to the server with the URL `target`. While it stalls, it accepts connections and forwards nothing, like a hung process. */
export async function startStallingProxy(target: string) {
  const address = new URL(target)
  let upstreamAt = hostAndPort(target)
  const pairs = new Set<readonly [Socket, Socket]>()
  const state = { isStalling: false, connections: 0 }

  const set = ([client, upstream]: readonly [Socket, Socket]) => {
    const turn = state.isStalling ? 'unpipe' : 'pipe'
    client[turn](upstream)
    upstream[turn](client)
  }
  const server = createServer((client) => {
    state.connections += 1
    const pair = [client, connect(upstreamAt.port, upstreamAt.host)] as const
    pairs.add(pair)
    for (const socket of pair) {
      socket.on('error', () => undefined)
      socket.on('close', () => pair.forEach((one) => one.destroy()))
    }
    set(pair)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  })
  await once(server, 'listening')
  address.hostname = '127.0.0.1'
  address.port = String((server.address() as AddressInfo).port)

  const switchTo = (isStalling: boolean) => {
    state.isStalling = isStalling
    pairs.forEach(set)
  }
  return {
    url: address.href,
    stall: () => switchTo(true),
    resume: () => switchTo(false),
    /** Forwards to another server and closes all connections, like a failover. */
    switchTarget(other: string) {
      upstreamAt = hostAndPort(other)
      for (const pair of pairs) for (const socket of pair) socket.destroy()
    },
    connections: () => state.connections,
  }
}

function hostAndPort(url: string) {
  const { protocol, hostname: host, port } = new URL(url)
  return { host, port: Number(port || { 'postgres:': 5432, 'redis:': 6379 }[protocol]) }
}
