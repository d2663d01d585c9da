import { getDomain, getPublicSuffix } from 'tldts-icann'

import { videoUrlOf } from '../comments/youtube.ts'
import { type Destination, hasOtherAddress, withoutWww } from '../content-policy/links.ts'

/**
 * Domain suffixes reserved for public administrations, such as `gov` and `gov.uk`. Only suffixes of the Public Suffix List
 * count: `gov.tk` can be registered by anyone, and `go.it` is a province that is open to all.
 */
const administration = /^(gov|(gov|gob|gouv|govt|gub|gv)\.[a-z]{2}|gc\.ca|go\.(jp|kr|th|id|ke|tz|ug|cr))$/
/** Domains of administrations that have a single one. */
const administrations = new Set(['europa.eu', 'admin.ch', 'bund.de', 'canada.ca'])

/**
 * Whether a link leads to the service itself, to a public administration or to a YouTube video. A URL that may redirect
 * elsewhere is not known, whatever its host.
 * @param root of the service
 */
export function isKnown({ url, host }: Destination, root: string): boolean {
  if (videoUrlOf(url.href) !== undefined) return true
  if (hasOtherAddress(url)) return false
  if (host === withoutWww(new URL(root).hostname)) return true
  const [suffix, domain] = [getPublicSuffix(host), getDomain(host)]
  return (suffix !== null && administration.test(suffix)) || (domain !== null && administrations.has(domain))
}
