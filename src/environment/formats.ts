import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'

import { addressesOf, namesPrimary } from './database-address.ts'

/** A test compares these with src/queue/job-definitions.ts. */
const QUEUES = new Set(['events', 'moderation', 'notifications', 'mails', 'media', 'archive', 'forwarding', 'webhooks'])

/** Checks URLs, networks, hosts and queue names, which a pattern cannot. */
export function isValidValue(name: string, value: unknown): boolean {
  if (typeof value !== 'string') return true
  const parts = value.split(',').map((part) => part.trim())
  if (name === 'HOST') return isIP(value) !== 0 || isHostName(value)
  if (name === 'TRUST_PROXY') return /^\d+$/.test(value) || parts.every((part) => ipaddr.isValid(part) || ipaddr.isValidCIDR(part))
  if (name === 'FORWARD_ALLOW') return parts.every((part) => ipaddr.isValidCIDR(part))
  if (name === 'WORKER_QUEUES') return parts.every((part) => QUEUES.has(part))
  if (/^DATABASE_(DIRECT_)?URL$/.test(name)) return addressesOf(value).every(isUrl) && namesPrimary(value)
  return !/_URLS?$/.test(name) || (name.endsWith('S') ? parts : [value]).every(isUrl)
}

/** Clients percent-decode the user, the password and the path, so invalid percent-encoding would fail later. */
function isUrl(text: string): boolean {
  try {
    const { username, password, pathname } = new URL(text)
    return [username, password, pathname].every((part) => decodeURIComponent(part) !== undefined)
  } catch {
    return false
  }
}

/** A last label of digits only is refused, because URL parsers read it as an IPv4 address. */
function isHostName(text: string): boolean {
  return (
    text.length <= 253 &&
    /^(?!.*(?:^|\.)\d+$)[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?)*$/i.test(text)
  )
}
