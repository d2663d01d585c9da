import DataLoader from 'dataloader'

import { type Queryable, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { onOneReplica } from '../../database/replicas.ts'
import type { Area } from '../../geo/area.ts'
import { knownCellsAround } from '../../geo/pyramid/area-cells.ts'
import type { Cell } from '../../geo/pyramid/cells.ts'
import { heldAround } from '../../geo/pyramid/totals.ts'
import type { Viewer } from '../../http/auth/access.ts'
import { among, byId, type ShownIds, shownColumns, type ShownTexts } from './etag-dependencies.ts'
import { findListVersion, type FoundVersion } from './version.ts'

/*
 * Versions that are asked for at the same moment are found by one statement (docs/adr/0046): on its way to the database a statement costs more than what
 * it looks up.
 */

interface Question {
  readonly cells: readonly Cell[]
  readonly carried: ShownIds
}

/** So many together are still quick. */
const TOGETHER_MAX = 32

const loaders = new WeakMap<Queryable, DataLoader<Question, FoundVersion>>()

/**
 * The version of a list together with the people and types that a tag carries, as `findListVersion` has them. Only nobody is asked for together with others: who
 * wrote something may need another replica than they do.
 */
export function loadListVersion(reader: Queryable, area: Area, viewer: Viewer | null, carried: ShownIds) {
  const cells = viewer === null ? knownCellsAround(area) : null
  return cells ? loaderOf(reader).load({ cells, carried }) : findListVersion(reader, area, viewer, carried)
}

function loaderOf(reader: Queryable) {
  const known = loaders.get(reader)
  if (known) return known
  const loader = loaderFor(reader)
  loaders.set(reader, loader)
  return loader
}

/** Whoever comes while a statement is under way waits for the next one, which so answers the more of them the more there are. */
function loaderFor(reader: Queryable) {
  let isBusy = false
  const waiting: (() => void)[] = []
  const find = async (asked: readonly Question[]) => {
    try {
      // It is sent in the context of one of them, or of a statement long before: replicas get a turn for each.
      return await onOneReplica(() => findVersions(reader, asked))
    } finally {
      const next = waiting.shift()
      if (next) next()
      else isBusy = false
    }
  }
  return new DataLoader<Question, FoundVersion>(find, {
    // What is looked up is as of now, never as of before.
    cache: false,
    maxBatchSize: TOGETHER_MAX,
    batchScheduleFn: (send) => {
      if (isBusy) waiting.push(send)
      // After all requests that have arrived were begun.
      else setImmediate(send)
      isBusy = true
    },
  })
}

/** As many as are asked for, in their order. Cells, people and types of several of them are looked up once. */
async function findVersions(reader: Queryable, asked: readonly Question[]): Promise<FoundVersion[]> {
  const cellsOf = asked.map(({ cells }) => cells.join())
  const distinct = [...new Set(cellsOf)]
  const idsOf = (kind: keyof ShownIds) => {
    const ids = new Set(asked.flatMap(({ carried }) => carried[kind]))
    return sql`string_to_array(${[...ids].join()}::text, ',')::integer[]`
  }
  const [found] = await reader.query<ShownTexts & { readonly changes: readonly number[] }>(
    prepared(sql`
      SELECT
        (SELECT json_agg((SELECT h.changes FROM (${heldAround(sql`l.cells`, () => sql`0`, 'changes')}) h) ORDER BY l.n) FROM (
          SELECT string_to_array(k.cells, ',')::bigint[] AS cells, k.n
          FROM unnest((SELECT string_to_array(${distinct.join(';')}::text, ';'))) WITH ORDINALITY k (cells, n) OFFSET 0) l) AS changes,
        ${shownColumns({ people: idsOf('people'), types: idsOf('types') })}`),
  )
  if (!found) return []
  const changesBy = new Map(distinct.map((cells, n) => [cells, found.changes[n] ?? 0]))
  const [people, types] = [byId(found.people), byId(found.types)]
  return asked.map(({ carried }, n) => ({
    version: { changes: changesBy.get(cellsOf[n] ?? '') ?? 0, viewer_changed_at: null, organizations: null, border: null },
    shown: { people: among(people, carried.people), types: among(types, carried.types) },
  }))
}
