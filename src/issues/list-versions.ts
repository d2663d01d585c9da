import DataLoader from 'dataloader'

import { type Queryable, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import type { Area } from '../geo/area.ts'
import { type Cell } from '../geo/pyramid/cells.ts'
import { cellsAround } from '../geo/pyramid/around.ts'
import { changesOf } from '../geo/pyramid/totals.ts'
import type { Viewer } from '../http/access.ts'
import { type CarriedIds, findListVersion, type FoundVersion, foundVersion, shownColumns, type VersionRow } from './list-version.ts'

/*
 * Whoever looks again at a map asks for the version of a list, and most who ask are nobody and ask for a box. Those who ask at the same moment are answered by one
 * statement: on the way to the database each statement costs more than what it looks up.
 */

interface Asked {
  readonly cells: readonly Cell[]
  readonly carried: CarriedIds
}

/** A statement waits for those before it; so many together are still quick. */
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
  const loader = new DataLoader<Asked, FoundVersion>((asked) => findVersions(reader, asked), {
    // What is looked up is as of now, never as of before.
    cache: false,
    maxBatchSize: TOGETHER_MAX,
    // After all requests that have arrived were begun.
    batchScheduleFn: (callback) => void setImmediate(callback),
  })
  loaders.set(reader, loader)
  return loader
}

/** As many as are asked for, in their order. */
async function findVersions(reader: Queryable, asked: readonly Asked[]): Promise<FoundVersion[]> {
  const lists = JSON.stringify(asked.map(({ cells, carried }, n) => ({ n, cells, ...carried })))
  const rows = await reader.query<VersionRow>(
    prepared(sql`
      SELECT ${changesOf(sql`l.cells`, 'changes')} AS changes, NULL AS viewer_changed_at, NULL AS organizations, NULL AS border,
        ${shownColumns({ people: sql`l.people`, types: sql`l.types` })}
      FROM json_to_recordset((SELECT ${lists}::json)) l (n integer, cells bigint[], people integer[], types integer[])
      ORDER BY l.n`),
  )
  return rows.map(foundVersion)
}
