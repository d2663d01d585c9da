import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'

/** As src/queue/contracts.ts names them; a test compares the two. */
const QUEUES = new Set(['events', 'moderation', 'notifications', 'mails', 'media', 'archive'])

/** Returns whether a value can be used, where a pattern cannot tell: addresses, networks, hosts and names of queues. */
export function isReadable(name: string, value: unknown): boolean {
  if (typeof value !== 'string') return true
  const parts = value.split(',').map((part) => part.trim())
  if (name === 'HOST') return isIP(value) !== 0 || isHostName(value)
  if (name === 'TRUST_PROXY') return /^\d+$/.test(value) || parts.every((part) => ipaddr.isValid(part) || ipaddr.isValidCIDR(part))
  if (name === 'WORKER_QUEUES') return parts.every((part) => QUEUES.has(part))
  return !/_URLS?$/.test(name) || (name.endsWith('S') ? parts : [value]).every(isAddress)
}

/** Percent signs in the user, the password and the path are decoded by whoever connects. */
function isAddress(text: string): boolean {
  try {
    const { username, password, pathname } = new URL(text)
    return [username, password, pathname].every((part) => decodeURIComponent(part) !== undefined)
  } catch {
    return false
  }
}

/** Labels of letters, digits and hyphens; a last one of digits only would be an address that is none. */
function isHostName(text: string): boolean {
  return (
    text.length <= 253 &&
    /^(?!.*(?:^|\.)\d+$)[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?)*$/i.test(text)
  )
}
