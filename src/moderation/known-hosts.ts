import { getDomain, getPublicSuffix } from 'tldts-icann'

import { videoUrlOf } from '../comments/youtube.ts'
import { type Destination, hasOtherAddress, withoutWww } from '../content-policy/links.ts'

/**
 * Endings under which only public administrations get a name: `gov` and, of a country, `gov.uk`, `gob.mx`, `gouv.fr` and their like. Only what
 * the Public Suffix List has is one: anybody may have `gov.tk`. `go.it` is a province and open to all.
 */
const administration = /^(gov|(gov|gob|gouv|govt|gub|gv)\.[a-z]{2}|gc\.ca|go\.(jp|kr|th|id|ke|tz|ug|cr))$/
/** Of administrations that have one domain. */
const administrations = new Set(['europa.eu', 'admin.ch', 'bund.de', 'canada.ca'])

/**
 * Whether a link leads to the service itself, to a public administration or to a video on YouTube. One that may send on to elsewhere does
 * not, whose host it has. @param root of the service
 */
export function isKnown({ url, host }: Destination, root: string): boolean {
  if (videoUrlOf(url.href) !== undefined) return true
  if (hasOtherAddress(url)) return false
  if (host === withoutWww(new URL(root).hostname)) return true
  const [suffix, domain] = [getPublicSuffix(host), getDomain(host)]
  return (suffix !== null && administration.test(suffix)) || (domain !== null && administrations.has(domain))
}
