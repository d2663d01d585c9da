import type { FastifyReply, FastifyRequest } from 'fastify'

import packageJson from '../../../package.json' with { type: 'json' }
import type { Queryable } from '../../database/database.ts'
import type { Viewer } from '../../http/auth/access.ts'
import { carriedTag, etagFrom, isFresh, isFreshAlready, type Validators } from '../../http/caching/conditional.ts'
import { type ReadList, readList, type WantedList } from './read-list.ts'
import type { ListVersion } from './version.ts'
import { loadListVersion } from './version-loader.ts'
import type { StoredPage } from './cache.ts'
import { carriedText, idsShown, readCarried, type Shown, type ShownIds, shownIn, textsOf } from './etag-dependencies.ts'

/*
 * The one rule of freshness of lists (docs/adr/0046): the ETag is made of how often the cells of the area changed, of the border, of the caller, and of
 * the people and request types that show; else of the bytes of the answer.
 */

/** To be asked of the reader that reads the list. */
export interface Asked {
  readonly reader: Queryable
  readonly request: FastifyRequest
  readonly viewer: Viewer | null
  /** Whatever else is in the answer, but for the address, the release, the list and who asks. */
  readonly also: readonly string[]
}

/**
 * What the version of a list says before the list is read: `not modified` for a caller who has it already, `stored` where the stored page is still the
 * answer; then the validators are set. Undefined where it has to be read; so it is where neither the caller brings an ETag that names whom it depends on
 * nor a page is stored.
 * @param look finds out what was asked for
 */
export async function recognize(
  request: FastifyRequest,
  reply: FastifyReply,
  look: () => Promise<Asked & { readonly wanted: WantedList }>,
  stored?: StoredPage,
): Promise<'not modified' | 'stored' | undefined> {
  const ids = stored?.shown ?? readCarried(carriedTag(request))
  if (!ids) return undefined
  const { wanted, ...asked } = await look()
  const known = await loadListVersion(asked.reader, wanted.area, asked.viewer, ids)
  if (!known) return undefined
  const validators = { ...validatorsOf(asked, wanted, known.version, known.shown), lastModified: stored?.lastModified ?? null }
  const isStored = stored !== undefined && stored.etag === etagFrom(request, validators)
  if (stored && !isStored) return undefined
  if (isFreshAlready(request, reply, validators)) return 'not modified'
  if (isStored) isFresh(request, reply, validators)
  return isStored ? 'stored' : undefined
}

/** The list with what it is validated by, which is looked up before its page or at the same moment. */
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
    // Where nothing is known of it, its bytes must do.
    validatorsWith: (people, types) => {
      const shown = version && shownIn(people, types)
      return shown ? { ...validatorsOf(asked, wanted, version, shown), shown: idsShown(shown) } : {}
    },
  }
}

const validatorsOf = ({ request, also }: Asked, wanted: WantedList, version: ListVersion, shown: Shown): Validators => ({
  etag: [request.url, packageJson.version, ...also, JSON.stringify([wanted, version]), ...textsOf(shown)],
  carried: carriedText(shown),
})
