import { getDomain, getPublicSuffix } from 'tldts-icann'

import { parseVideoUrl } from '../comments/youtube.ts'
import { type LinkTarget, containsOtherUrl, withoutWww } from '../content-policy/links.ts'

/** Only suffixes of the Public Suffix List count, because anyone can register `gov.tk`. */
const administrationSuffix = /^(gov|(gov|gob|gouv|govt|gub|gv)\.[a-z]{2}|gc\.ca|go\.(jp|kr|th|id|ke|tz|ug|cr))$/
const administrationDomains = new Set(['europa.eu', 'admin.ch', 'bund.de', 'canada.ca'])

/** Trusts this service, administrations and YouTube videos, but no URL that may redirect elsewhere. @param root PUBLIC_URL */
export function isTrustedLink({ url, host }: LinkTarget, root: string): boolean {
  if (parseVideoUrl(url.href) !== undefined) return true
  if (containsOtherUrl(url)) return false
  if (host === withoutWww(new URL(root).hostname)) return true
  const [suffix, domain] = [getPublicSuffix(host), getDomain(host)]
  return (suffix !== null && administrationSuffix.test(suffix)) || (domain !== null && administrationDomains.has(domain))
}
