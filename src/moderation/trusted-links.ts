import { getDomain, getPublicSuffix } from 'tldts-icann'

import { parseVideoUrl } from '../comments/youtube.ts'
import { type LinkTarget, containsOtherUrl, withoutWww } from '../content-policy/links.ts'

/**
 * Domain suffixes reserved for public administrations, such as `gov` and `gov.uk`. Only suffixes of the Public Suffix List
 * count: `gov.tk` can be registered by anyone, and `go.it` is a province that is open to all.
 */
const administrationSuffix = /^(gov|(gov|gob|gouv|govt|gub|gv)\.[a-z]{2}|gc\.ca|go\.(jp|kr|th|id|ke|tz|ug|cr))$/
/** Domains of administrations that have a single one. */
const administrationDomains = new Set(['europa.eu', 'admin.ch', 'bund.de', 'canada.ca'])

/**
 * Returns whether a link leads to the service itself, to a public administration or to a YouTube video. A URL that may redirect
 * elsewhere is not known, whatever its host.
 * @param root of the service
 */
export function isTrustedLink({ url, host }: LinkTarget, root: string): boolean {
  if (parseVideoUrl(url.href) !== undefined) return true
  if (containsOtherUrl(url)) return false
  if (host === withoutWww(new URL(root).hostname)) return true
  const [suffix, domain] = [getPublicSuffix(host), getDomain(host)]
  return (suffix !== null && administrationSuffix.test(suffix)) || (domain !== null && administrationDomains.has(domain))
}
