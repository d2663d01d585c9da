import type { FastifyReply, FastifyRequest } from 'fastify'

import packageJson from '../../package.json' with { type: 'json' }
import type { Queryable } from '../database/database.ts'
import type { Viewer } from '../http/access.ts'
import { carriedTag, isFreshAlready, type Validators } from '../http/conditional.ts'
import { carriedText, findListVersion, readCarried, type Shown, shownIn, textOf } from './list-version.ts'
import type { WantedList } from './read-list.ts'

/*
 * A list is looked at before it is read (docs/adr/0032, 0036): whoever brings the tag of what it still is has it already, everybody else gets it with
 * validators that were looked up before it.
 */

/** A list, as far as it is known without reading it. */
export interface ListLook {
  /** What it would be validated by if those show in it whom the caller's tag tells; undefined where the look does not know. */
  readonly asCarried: Validators | undefined
  /** What it is validated by when it was read after the look, with all whom it shows; nothing where its bytes must do. */
  readonly validatorsWith: (...shown: Parameters<typeof shownIn>) => Validators
}

/**
 * To be asked of the reader that reads the list.
 * @param also whatever else is in the answer, but for the address, the release, the list and who asks
 */
export async function lookAtList(
  reader: Queryable,
  request: FastifyRequest,
  wanted: WantedList,
  viewer: Viewer | null,
  also: readonly string[],
): Promise<ListLook> {
  // What words are like may change with any report anywhere.
  const known = wanted.filter.search
    ? undefined
    : await findListVersion(reader, wanted.area, viewer, readCarried(carriedTag(request)))
  if (!known) return { asCarried: undefined, validatorsWith: () => ({}) }
  const validatorsOf = (shown: Shown): Validators => ({
    etag: [request.url, packageJson.version, ...also, JSON.stringify([wanted, known.version]), textOf(shown)],
    carried: carriedText(shown),
  })
  return {
    asCarried: validatorsOf(known.shown),
    validatorsWith: (people, types) => {
      const shown = shownIn(people, types)
      return shown ? validatorsOf(shown) : {}
    },
  }
}

/** Whether the caller has the list already: looks only where they bring a tag that may say so. Then the route returns `reply.notModified()`. */
export async function hasListAlready(
  request: FastifyRequest,
  reply: FastifyReply,
  look: () => Promise<ListLook>,
): Promise<boolean> {
  if (!readCarried(carriedTag(request))) return false
  const { asCarried } = await look()
  return asCarried !== undefined && isFreshAlready(request, reply, asCarried)
}
