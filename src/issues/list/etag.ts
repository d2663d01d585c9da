import type { FastifyReply, FastifyRequest } from 'fastify'

import packageJson from '../../../package.json' with { type: 'json' }
import type { Queryable } from '../../database/database.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { etagDependencies, toEtag, isFresh, isFreshBeforeRead, type Validators } from '../../http/caching/conditional.ts'
import { type ReadList, readList, type WantedList } from './read-list.ts'
import type { ListVersion } from './version.ts'
import { loadListVersion } from './version-loader.ts'
import type { StoredPage } from './cache.ts'
import { carriedText, idsShown, readCarried, type Shown, type ShownIds, shownIn, textsOf } from './etag-dependencies.ts'

/**
 * The ETag of a list (docs/adr/0005) consists of the change counts of the area's cells, its border, the caller, and the visible
 * users and request types. A list without a version gets a digest of the response body.
 */

export interface Asked {
  readonly reader: Queryable
  readonly request: FastifyRequest
  readonly viewer: Viewer | null
  /** Other values on which the response depends, besides the URL, the release, the list and the caller. */
  readonly also: readonly string[]
}

/**
 * Checks the version of a list before the list is read. Returns `not modified` if the caller's ETag is current and `stored` if the
 * cached page is, and sets the validators. Returns undefined if the list must be read, as without a usable ETag and without a
 * cached page.
 * @param look parses the query
 */
export async function recognize(
  request: FastifyRequest,
  reply: FastifyReply,
  look: () => Promise<Asked & { readonly wanted: WantedList }>,
  stored?: StoredPage,
): Promise<'not modified' | 'stored' | undefined> {
  const ids = stored?.shown ?? readCarried(etagDependencies(request))
  if (!ids) return undefined
  const { wanted, ...asked } = await look()
  const known = await loadListVersion(asked.reader, wanted.area, asked.viewer, ids)
  if (!known) return undefined
  const validators = { ...validatorsOf(asked, wanted, known.version, known.shown), lastModified: stored?.lastModified ?? null }
  const isStored = stored !== undefined && stored.etag === toEtag(request, validators)
  if (stored && !isStored) return undefined
  if (isFreshBeforeRead(request, reply, validators)) return 'not modified'
  if (isStored) isFresh(request, reply, validators)
  return isStored ? 'stored' : undefined
}

/** Reads a list with its validators, which are read before the page or in the same snapshot. */
export async function readValidList(
  wanted: WantedList,
  asked: Asked,
): Promise<
  ReadList & { readonly validatorsWith: (...shown: Parameters<typeof shownIn>) => Validators & { readonly shown?: ShownIds } }
> {
  const list = await readList(asked.reader, wanted, asked.viewer)
  const { version } = list
  return {
    ...list,
    // A list without a version gets no validators here, so its body is hashed.
    validatorsWith: (people, types) => {
      const shown = version && shownIn(people, types)
      return shown ? { ...validatorsOf(asked, wanted, version, shown), shown: idsShown(shown) } : {}
    },
  }
}

const validatorsOf = ({ request, also }: Asked, wanted: WantedList, version: ListVersion, shown: Shown): Validators => ({
  etag: [request.url, packageJson.version, ...also, JSON.stringify([wanted, version]), ...textsOf(shown)],
  dependencies: carriedText(shown),
})
