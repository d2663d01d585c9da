import type { FastifyInstance, FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import { finished } from 'node:stream'

import { limitConcurrency, type Bounds } from '../request/concurrency-limit.ts'
import { clientOf, networkOf } from '../request/client-address.ts'
import { problems } from '../../errors/problems.ts'
import { consumeWithNetwork } from './rate-limit.ts'
import { BoundedMemory, CALLERS_MAX } from './rate-limit-store.ts'

const WINDOW_S = 60
/** Clients that have requests under way at a time; beyond them the share of the one that was away longest begins anew. */
const CLIENTS_MAX = 10_000
const RETRY_AFTER_S = 1

/** What one client, by its address, may take of what it is added to, in each process. */
export interface ClientShare extends Pick<Bounds, 'atOnce' | 'waitingMax' | 'waitMaxMs'> {
  /** Requests in a minute, as a multiple of `RATE_LIMIT`. */
  readonly rateTimes: number
  /** Requests at a time of a whole /48 network of IPv6: more than one client's, and fewer than are served at all. */
  readonly networkAtOnce: number
}

/**
 * Gives each client a share of the routes that are added to `face` afterwards: so many requests at a time, the others waiting for their
 * turn, and so many in a minute. The /48 network of an IPv6 client has a wider share. More is 429 with Retry-After, and takes nothing from
 * other clients. A request has its turn from when its body has arrived until its answer is sent.
 */
export function addClientShare(face: FastifyInstance, { rateLimit }: { readonly rateLimit: number }, share: ClientShare): void {
  const points = rateLimit * share.rateTimes
  const counted = new BoundedMemory({ points, duration: WINDOW_S }, CALLERS_MAX)
  const turnOfClient = turnsByKey(share)
  const turnOfNetwork = turnsByKey({ ...share, atOnce: share.networkAtOnce, waitingMax: 2 * share.waitingMax })

  face.addHook('onRequest', async (request) => {
    const { refused, state } = await consumeWithNetwork(counted, clientOf(request), { points })
    if (refused) throw problems.rateLimited(state.msBeforeNext / 1000)
  })

  face.addHook('preHandler', async (request, reply) => {
    const client = clientOf(request)
    const network = networkOf(client)
    const sent = whenSent(reply)
    await begin(turnOfClient(client), sent)
    if (network !== undefined) await begin(turnOfNetwork(network), sent)
  })
}

type Turns = ReturnType<typeof limitConcurrency>

function turnsByKey(bounds: Bounds): (key: string) => Turns {
  const turns = new LRUCache<string, Turns>({ max: CLIENTS_MAX })
  return (key) => {
    const known = turns.get(key)
    if (known) return known
    const made = limitConcurrency({ ...bounds, refusal: () => problems.rateLimited(RETRY_AFTER_S) })
    turns.set(key, made)
    return made
  }
}

/** Resolves when the turn begins, which lasts until `end`; rejects with the refusal. */
function begin(oneTurn: Turns, end: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    oneTurn(() => {
      resolve()
      return end
    }).catch(reject)
  })
}

/** Also where the client hung up. */
const whenSent = ({ raw }: FastifyReply) => new Promise<void>((resolve) => finished(raw, () => resolve()))
