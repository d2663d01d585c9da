import { problems } from '../../errors/problems.ts'
import type { Collection } from './collection.ts'
import { historyCollection } from './history.ts'
import { issueCollection } from './issues.ts'
import { placeCollection } from './places.ts'

export const collections: readonly Collection[] = [issueCollection, placeCollection, historyCollection]

/** @throws Problem 404 */
export function requireCollection(id: string): Collection {
  const collection = collections.find((one) => one.id === id)
  if (!collection) throw problems.notFound('the_resource')
  return collection
}
