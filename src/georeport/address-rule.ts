import ipaddr from 'ipaddr.js'

/** `allowed` addresses are in FORWARD_ALLOW; `public` ones are reachable from the internet. */
export type AddressKind = 'allowed' | 'public' | 'refused'
export type AddressRule = (address: string) => AddressKind

/** Addresses outside of it are no global unicast, such as `::127.0.0.1`, the deprecated IPv4-compatible form (RFC 4291). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/**
 * Returns a rule that refuses every address which is not public: private, loopback, link-local, carrier-grade NAT, multicast and reserved ones, and
 * IPv6 forms that contain an IPv4 address (mapped, NAT64, 6to4, Teredo).
 * @param networks CIDR ranges that are allowed nevertheless
 */
export function createAddressRule(networks: readonly string[]): AddressRule {
  const allowed = networks.map((network) => ipaddr.parseCIDR(network))
  return (text) => {
    // `process` turns an IPv4-mapped IPv6 address into the IPv4 address.
    const address = ipaddr.process(text)
    const isAllowed = allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
    if (isAllowed) return 'allowed'
    const isPublic = address.range() === 'unicast' && (!(address instanceof ipaddr.IPv6) || address.match(GLOBAL_UNICAST))
    return isPublic ? 'public' : 'refused'
  }
}
