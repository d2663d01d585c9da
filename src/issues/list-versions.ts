import DataLoader from 'dataloader'

import { type Queryable, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import type { Area } from '../geo/area.ts'
import type { Cell } from '../geo/pyramid/cells.ts'
import { cellsAround } from '../geo/pyramid/around.ts'
import { changesOf } from '../geo/pyramid/totals.ts'
import type { Viewer } from '../http/access.ts'
import { byId, type CarriedIds, findListVersion, type FoundVersion, shownColumns, type ShownRows } from './list-version.ts'

/*
 * Whoever looks again at a map asks for the version of a list, and most who ask are nobody and ask for a box. Those who ask at the same moment are answered by one
 * statement: on the way to the database each statement costs more than what it looks up.
 */

interface Asked {
  readonly cells: readonly Cell[]
  readonly carried: CarriedIds
}

/** So many together are still quick. */
const TOGETHER_MAX = 32

const loaders = new WeakMap<Queryable, DataLoader<Asked, FoundVersion>>()

/** The version of a list together with the people and types that a tag carries, as `findListVersion` has them. */
export function loadListVersion(reader: Queryable, area: Area, viewer: Viewer | null, carried: CarriedIds) {
  const cells = viewer === null ? cellsAround(area) : null
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
  let underWay = 0
  const waiting: (() => void)[] = []
  const find = async (asked: readonly Asked[]) => {
    underWay++
    try {
      return await findVersions(reader, asked)
    } finally {
      underWay--
      waiting.shift()?.()
    }
  }
  return new DataLoader<Asked, FoundVersion>(find, {
    // What is looked up is as of now, never as of before.
    cache: false,
    maxBatchSize: TOGETHER_MAX,
    batchScheduleFn: (send) => {
      if (underWay > 0) waiting.push(send)
      // After all requests that have arrived were begun.
      else setImmediate(send)
    },
  })
}

/** As many as are asked for, in their order. Who and what shows in several of them is looked up once. */
async function findVersions(reader: Queryable, asked: readonly Asked[]): Promise<FoundVersion[]> {
  const lists = asked.map(({ cells }) => cells.join()).join(';')
  const idsOf = (kind: keyof CarriedIds) => {
    const ids = new Set(asked.flatMap(({ carried }) => carried[kind]))
    return sql`string_to_array(${[...ids].join()}::text, ',')::integer[]`
  }
  const [found] = await reader.query<ShownRows & { readonly changes: readonly number[] }>(
    prepared(sql`
      SELECT
        (SELECT json_agg(${changesOf(sql`l.cells`, 'changes')} ORDER BY l.n) FROM (
          SELECT string_to_array(k.cells, ',')::bigint[] AS cells, k.n
          FROM unnest((SELECT string_to_array(${lists}::text, ';'))) WITH ORDINALITY k (cells, n) OFFSET 0) l) AS changes,
        ${shownColumns({ people: idsOf('people'), types: idsOf('types') })}`),
  )
  if (!found) return []
  const [people, types] = [byId(found.people), byId(found.types)]
  return asked.map(({ carried }, n) => ({
    version: { changes: found.changes[n] ?? 0, viewer_changed_at: null, organizations: null, border: null },
    shown: { people: among(people, carried.people), types: among(types, carried.types) },
  }))
}

/** Those of these ids that there are. */
function among<Row>(rows: ReadonlyMap<number, Row>, ids: readonly number[]): ReadonlyMap<number, Row> {
  return new Map(
    ids.flatMap((id) => {
      const row = rows.get(id)
      return row === undefined ? [] : [[id, row] as const]
    }),
  )
}
