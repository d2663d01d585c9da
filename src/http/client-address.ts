import ipaddr from 'ipaddr.js'
import { isIPv4 } from 'node:net'

const ADDRESS_MAX = 100

/**
 * What requests of one client have in common, for counting: the IPv4 address, or the first half (/64) of an IPv6 address. Who
 * has one IPv6 address has 2^64 of them, so that a limit on each would be none.
 */
export function clientOf(ip: string): string {
  if (isIPv4(ip)) return ip
  // What a trusted proxy forwards may be anything; it is counted as it is written.
  if (!ipaddr.isValid(ip)) return ip.slice(0, ADDRESS_MAX)
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  const network = address.parts.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}
