import type { FastifyRequest, FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'

import { problems } from '../../errors/problems.ts'
import { syncHook } from './hooks.ts'

/** Factor of the limit of a /48 network over that of a /64 network: sites and providers receive a /48. */
export const NETWORK_FACTOR = 10

type IpAddress = ReturnType<typeof ipaddr.process>

/** Returns the IPv4 address, or the /64 network that an IPv6 client usually owns. An invalid address counts as the proxy before it. */
export function clientKey({ ip, ips = [ip] }: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  const address = ips.map(parseIpAddress).findLast((one) => one !== undefined)
  if (address === undefined) return 'unknown'
  return address instanceof ipaddr.IPv4 ? address.toString() : `${joinGroups(address, 4)}::/64`
}

/** Returns the /48 network of a key that ends in a /64 network of `clientKey`; undefined for any other key. */
export function networkKey(key: string): string | undefined {
  const [, network] = /^(.+):[\da-f]+::\/64$/.exec(key) ?? []
  return network === undefined ? undefined : `${network}::/48`
}

/** Returns Fastify's `trustProxy` for a number of hops, or for addresses and CIDR ranges. */
export function toTrustProxy(proxies: false | number | readonly string[]) {
  if (typeof proxies === 'number') return (_address: string, hop: number) => hop < proxies
  if (proxies === false) return false
  const ranges = proxies.map(toCidrRange)
  return (input: string) => {
    const address = parseIpAddress(input)
    return address !== undefined && ipaddr.subnetMatch(address, { proxies: ranges }, 'none') === 'proxies'
  }
}

function parseIpAddress(input: string): IpAddress | undefined {
  const [, inBrackets, beforePort] = /^\[([^\]]*)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(input) ?? []
  const bare = inBrackets ?? beforePort ?? input
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare)
}

function toCidrRange(input: string): [IpAddress, number] {
  if (ipaddr.isValidCIDR(input)) return ipaddr.parseCIDR(input)
  const address = ipaddr.process(input)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

const joinGroups = ({ parts }: ipaddr.IPv6, count: number) =>
  parts
    .slice(0, count)
    .map((group) => group.toString(16))
    .join(':')

/** Refuses requests without a User-Agent, as the interface of the public API requires. A blank header counts as missing. */
export function requireUserAgent(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    syncHook((request) => {
      if (!request.headers['user-agent']?.trim()) throw problems.userAgentMissing()
    }),
  )
}
