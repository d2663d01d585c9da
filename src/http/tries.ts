import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'

import type { Viewer } from './access-queries.ts'
import { isRefusal, type RateLimit } from './rate-limit.ts'

/** Whose credentials were right lately is taken for no guesser, for so long. */
const FAMILIAR_MS = 86_400_000
const FAMILIAR_MAX = 100_000

export interface Try {
  /** The address that it comes from. */
  readonly client: string
  /** A name for whom the credentials are of, without telling it. */
  readonly owner: string
  /** A name for these very credentials. */
  readonly credentials: string
  /** Tokens are not: one that was right once is no try until it is wrong, wherever it comes from. */
  readonly isGuessable: boolean
}

/**
 * Checks credentials that are not known to be right. Each such check is a try, and a client has as many tries in a window as requests:
 * counted before the check, else as many as come at one moment would all be checked, and given back where they were right. They are
 * counted apart from requests, so that whoever reads without a login keeps nobody of the same address from logging in. Whoever was right
 * at an address lately has tries of their own there, so that somebody else who guesses does not keep them out either.
 */
export function triesOf(rateLimit: RateLimit) {
  const familiar = new LRUCache<string, true>({ max: FAMILIAR_MAX, ttl: FAMILIAR_MS })
  const underWay = new Map<string, Promise<Viewer | undefined>>()

  async function check(reply: FastifyReply, { client, owner, isGuessable }: Try, verify: () => Promise<Viewer | undefined>) {
    const name = isGuessable ? `${client} ${owner}` : owner
    const isFamiliar = familiar.has(name)
    const key = isFamiliar ? `tries:${name}` : `tries:${client}`
    const isTry = isGuessable || !isFamiliar
    if (isTry) await rateLimit.count(reply, key, client)
    const viewer = await verify()
    if (viewer) familiar.set(name, true)
    else if (!isGuessable) familiar.delete(name)
    if (viewer && isTry) await rateLimit.uncount(key)
    return viewer
  }

  /**
   * Requests that bring the same credentials at one moment are one try: a browser that opens with forty of them guesses nothing. Where no
   * try is left, each of them is refused and counted by itself.
   * @throws Problem 429 or 403 where no try is left
   */
  return async (reply: FastifyReply, one: Try, verify: () => Promise<Viewer | undefined>): Promise<Viewer | undefined> => {
    const name = `${one.client} ${one.credentials}`
    const same = underWay.get(name)
    if (same) {
      return same.catch((error: unknown) => {
        if (isRefusal(error)) return check(reply, one, verify)
        throw error
      })
    }
    const checking = check(reply, one, verify)
    underWay.set(name, checking)
    return checking.finally(() => underWay.delete(name))
  }
}
