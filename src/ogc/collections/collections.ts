import type { Collection } from './collection.ts'
import { historyCollection } from './history.ts'
import { issueCollection } from './issues.ts'
import { placeCollection } from './places.ts'

export const collections: readonly Collection[] = [issueCollection, placeCollection, historyCollection]
