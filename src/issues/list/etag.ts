import type { FastifyReply, FastifyRequest } from 'fastify'

import packageJson from '../../../package.json' with { type: 'json' }
import type { Queryable } from '../../database/database.ts'
import type { Viewer } from '../../http/auth/access.ts'
import { carriedTag, isFreshAlready, type Validators } from '../../http/caching/conditional.ts'
import { type ReadList, readList, type WantedList } from './read-list.ts'
import { findListVersion, type ListVersion } from './version.ts'
import { carriedText, readCarried, type Shown, shownIn, textsOf } from './etag-dependencies.ts'

/*
 * A list is looked at before it is read (docs/adr/0032, 0036): whoever brings the tag of what it still is has it already, everybody else gets it with
 * validators that were looked up before it.
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
 * Whether the caller has the list already: looked up only where they bring a tag that may say so. Then the route returns `reply.notModified()`.
 * @param look finds out what was asked for
 */
export async function hasListAlready(
  request: FastifyRequest,
  reply: FastifyReply,
  look: () => Promise<Asked & { readonly wanted: WantedList }>,
): Promise<boolean> {
  const carried = readCarried(carriedTag(request))
  if (!carried) return false
  const { wanted, ...asked } = await look()
  const known = await findListVersion(asked.reader, wanted.area, asked.viewer, carried)
  return known !== undefined && isFreshAlready(request, reply, validatorsOf(asked, wanted, known.version, known.shown))
}

/** The list with what it is validated by, which is looked up before its page or at the same moment. */
export async function readValidList(
  wanted: WantedList,
  asked: Asked,
): Promise<ReadList & { readonly validatorsWith: (...shown: Parameters<typeof shownIn>) => Validators }> {
  const list = await readList(asked.reader, wanted, asked.viewer)
  const { version } = list
  return {
    ...list,
    // Where nothing is known of it, its bytes must do.
    validatorsWith: (people, types) => {
      const shown = version && shownIn(people, types)
      return shown ? validatorsOf(asked, wanted, version, shown) : {}
    },
  }
}

const validatorsOf = ({ request, also }: Asked, wanted: WantedList, version: ListVersion, shown: Shown): Validators => ({
  etag: [request.url, packageJson.version, ...also, JSON.stringify([wanted, version]), ...textsOf(shown)],
  carried: carriedText(shown),
})
