import { getDomain, getPublicSuffix } from 'tldts-icann'

import { withoutWww } from './links.ts'

/** As links are written; all belong to the one service that answers may name (src/comments/youtube.ts). */
const youtube = new Set(['youtube.com', 'm.youtube.com', 'music.youtube.com', 'youtube-nocookie.com', 'youtu.be'])

/**
 * Endings under which only public administrations get a name: `gov` and, of a country, `gov.uk`, `gob.mx`, `gouv.fr` and their like. Only what
 * the Public Suffix List has is one: anybody may have `gov.tk`. `go.it` is a province and open to all.
 */
const administration = /^(gov|(gov|gob|gouv|govt|gub|gv)\.[a-z]{2}|gc\.ca|go\.(jp|kr|th|id|ke|tz|ug|cr))$/
/** Of administrations that have one domain. */
const administrations = new Set(['europa.eu', 'admin.ch', 'bund.de', 'canada.ca'])

/** Whether a host is the service's own, one of YouTube or of a public administration. @param host from `hostsOf` @param root of the service */
export function isKnownHost(host: string, root: string): boolean {
  if (host === withoutWww(new URL(root).hostname) || youtube.has(host)) return true
  const [suffix, domain] = [getPublicSuffix(host), getDomain(host)]
  return (suffix !== null && administration.test(suffix)) || (domain !== null && administrations.has(domain))
}
