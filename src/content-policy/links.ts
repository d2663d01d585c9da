import { LinkifyIt } from 'linkify-it'
import tlds from 'tlds' with { type: 'json' }

import words from './word-tlds.json' with { type: 'json' }

/**
 * These top-level domains are also common words or file extensions, so that a missing space ("Light is out.Call me", "5th St.next
 * to the bank") makes no link; after `www.` or `http://` they count.
 */
const wordTlds = new Set(words)

/** These are no common words, states or points of the compass (unlike "5th St.in", "Atlanta.GA"). */
const countryTlds = 'io co ru cn uk nl pl ua tk cc ws su cf gq jp kr vn cz hu kz'.split(' ')

const links = new LinkifyIt({
  fuzzyLink: true,
  fuzzyEmail: false,
  tlds: [...tlds.filter((ending) => ending.length > 2 && !wordTlds.has(ending)), ...countryTlds],
})

/** Counts URLs with or without a scheme. @param text from `plainText` */
export function countLinks(text: string): number {
  return findLinks(text).length
}

export interface LinkTarget {
  readonly url: URL
  /** Host as browsers normalize it, in lower case and ASCII, without a leading `www.`. */
  readonly host: string
}

/** Returns undefined for an unclear or disguised destination (`https://denver.gov@example.com`). @param text from `plainText` */
export function parseLinks(text: string): (LinkTarget | undefined)[] {
  return findLinks(text).map(({ url: link, isContinued }) => {
    const url = URL.parse(link)
    const isPlain = url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
    return isPlain && !isContinued && url.hostname !== '' ? { url, host: withoutWww(url.hostname.replace(/\.$/, '')) } : undefined
  })
}

/** Finds targets of open redirects in any percent-encoding (`https://denver.gov/leave?to=https%3A%2F%2Fexample.com`). */
export function containsOtherUrl({ pathname, search, hash }: URL): boolean {
  const rest = percentDecode(pathname.slice(1) + search + hash)
  // Excessive encoding counts as an attempt to hide a URL.
  if (rest === undefined) return true
  return (
    /\/\/|\\|(^|[^a-z])(https?|ftp|javascript|data|intent):/i.test(rest) || countLinks(rest.replaceAll(/[/?&=#;,|@:]/g, ' ')) > 0
  )
}

const DECODINGS_MAX = 4

function percentDecode(text: string): string | undefined {
  let current = text
  for (let count = 0; count <= DECODINGS_MAX; count++) {
    const next = current.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    if (next === current) return current
    current = next
  }
  return undefined
}

/** The prefix `www.` rarely distinguishes pages. */
export const withoutWww = (host: string) => host.replace(/^www\d{0,3}\./, '')

interface Link {
  readonly url: string
  readonly isContinued: boolean
}

function findLinks(text: string): Link[] {
  const normalized = text
    // Browsers treat the Chinese and Japanese full stop as a dot.
    .replaceAll(/(?<=[a-z0-9])[。｡](?=[a-z0-9])/giu, '.')
    .replaceAll(/(?<![\p{L}\p{N}/@.-])www\d{0,3}\.(?=[\p{L}\p{N}])/giu, 'http://')
  return (links.match(normalized) ?? []).map(({ url, lastIndex }) => ({
    url,
    isContinued: /^[@:\\%]\S/.test(normalized.slice(lastIndex, lastIndex + 2)),
  }))
}
