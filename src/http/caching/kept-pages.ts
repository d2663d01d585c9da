import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'

import type { Database } from '../../database/database.ts'
import { setLastModified, weakEtag } from './validators.ts'

export interface PageVersion {
  /** It differs whenever the page may have changed for anonymous callers. */
  readonly text: string
  /** The time of the last change that the page shows, null if it must not be sent. A page without it has the time since which it is kept. */
  readonly lastModified?: string | null
}

export interface Page<Shown> {
  readonly body: string
  readonly headers: Readonly<Record<string, string | number>>
  /** It is not newer than the body; a page without a version is not kept. */
  readonly version: PageVersion | undefined
  /** Data of the page with which its version is read. */
  readonly shown: Shown
}

interface PageSource<Shown, Version> {
  /** Identifies the page: its URL, and what else selects the response for an anonymous caller. */
  readonly key: string
  readonly findVersion: (shown: Shown) => Promise<Version>
  /** @param version what `findVersion` returned, if it was called */
  readonly read: (version: Version | undefined) => Promise<Page<Shown>>
}

interface KeptPage<Shown> extends Page<Shown> {
  readonly etag: string
  readonly readAt: Date
}

/** Memory for about 250 pages of lists, or 2,000 single issues. */
const BYTES_MAX = 16_000_000
const MINUTE_MS = 60_000

/**
 * Returns a function that sends a page, to anonymous callers from the memory of the process while its version is current. The least recently
 * used pages are dropped (docs/adr/0007).
 */
export function createKeptPages<Shown, Version extends PageVersion>(
  { readsMayLag }: Pick<Database, 'readsMayLag'>,
  clock: () => Date,
) {
  const pages = new LRUCache<string, KeptPage<Shown>>({
    maxSize: BYTES_MAX,
    // V8 stores a string in two bytes per character as soon as one character is not Latin-1.
    sizeCalculation: ({ body, version }, key) => 2 * (body.length + key.length + (version?.text.length ?? 0)) + 500,
  })

  return async (request: FastifyRequest, reply: FastifyReply, { key, findVersion, read }: PageSource<Shown, Version>) => {
    const readAt = clock()
    const kept = request.viewer ? undefined : pages.get(key)
    const version = kept && (await findVersion(kept.shown))
    if (kept && version?.text === kept.version?.text) {
      setLastModified(reply, version?.lastModified === undefined ? keptSince(kept, readAt) : version.lastModified)
      return reply.headers({ ...kept.headers, etag: kept.etag }).send(kept.body)
    }
    const page = await read(version)
    if (!request.viewer && page.version) pages.set(key, { ...page, etag: weakEtag(page.body), readAt })
    setLastModified(reply, page.version?.lastModified)
    return reply.headers(page.headers).send(page.body)
  }

  /**
   * Returns the second after which this process has seen no other version. It is sent once it is a minute old, because the clocks of several
   * processes differ, and not with replicas, from which another process may still read an older version.
   */
  function keptSince({ readAt }: KeptPage<Shown>, now: Date): string | null {
    const nextSecond = new Date(Math.floor(readAt.getTime() / 1_000) * 1_000 + 1_000)
    return readsMayLag || now.getTime() - nextSecond.getTime() < MINUTE_MS ? null : nextSecond.toISOString()
  }
}
