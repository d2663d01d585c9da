import DataLoader from 'dataloader'
import Type from 'typebox'

import { optimizationFence, type Queryable, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { readFromOneServer } from '../../database/replicas.ts'
import type { Area } from '../../geo/area.ts'
import { computeCellsAround } from '../../geo/pyramid/area-cells.ts'
import type { Cell } from '../../geo/pyramid/cells.ts'
import { areaVersion } from '../../geo/pyramid/totals.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import {
  pickSerialized,
  toSerializedById,
  type DependencyIds,
  dependencyColumns,
  SerializedDependencies,
} from './etag-dependencies.ts'
import { findListVersion, type FoundVersion } from './version.ts'

/* Concurrent lookups are batched into one statement (docs/adr/0007), because the round trip costs more than the lookup. */

interface VersionLookup {
  readonly boundingCells: readonly Cell[]
  readonly dependencyIds: DependencyIds
}

/** This limits the lookups of one batch, so that each stays fast. */
const BATCH_MAX = 32

const loaders = new WeakMap<Queryable, DataLoader<VersionLookup, FoundVersion>>()

/**
 * Only lookups of anonymous callers are batched, because a logged-in caller may need a replica that has replayed that caller's
 * writes. An area whose bounding cells need SQL, such as a place, is looked up alone.
 */
export function loadListVersion(reader: Queryable, area: Area, viewer: Viewer | null, dependencyIds: DependencyIds) {
  const boundingCells = viewer === null ? computeCellsAround(area) : null
  return boundingCells
    ? getLoader(reader).load({ boundingCells, dependencyIds })
    : findListVersion(reader, area, viewer, dependencyIds)
}

function getLoader(reader: Queryable) {
  const existing = loaders.get(reader)
  if (existing) return existing
  const loader = createLoader(reader)
  loaders.set(reader, loader)
  return loader
}

/** Lookups that arrive during a statement wait for the next one, so batches grow with the load. */
function createLoader(reader: Queryable) {
  let isBusy = false
  const waitingSends: (() => void)[] = []
  const find = async (lookups: readonly VersionLookup[]) => {
    try {
      // The batch runs in the async context of one request; `readFromOneServer` gives it its own choice of a replica.
      return await readFromOneServer(() => findVersions(reader, lookups))
    } finally {
      const next = waitingSends.shift()
      if (next) next()
      else isBusy = false
    }
  }
  return new DataLoader<VersionLookup, FoundVersion>(find, {
    // A cached version could be stale.
    cache: false,
    maxBatchSize: BATCH_MAX,
    batchScheduleFn: (send) => {
      if (isBusy) waitingSends.push(send)
      // The delay lets all requests that have already arrived join the batch.
      else setImmediate(send)
      isBusy = true
    },
  })
}

const VersionsWithDependencies = Type.Object({ changeCounts: Type.Array(Type.Integer()), ...SerializedDependencies.properties })

async function findVersions(reader: Queryable, lookups: readonly VersionLookup[]): Promise<FoundVersion[]> {
  const cellLists = lookups.map(({ boundingCells }) => boundingCells.join())
  const distinctCellLists = [...new Set(cellLists)]
  const toIdArray = (kind: keyof DependencyIds) => {
    const ids = new Set(lookups.flatMap(({ dependencyIds }) => dependencyIds[kind]))
    return sql`string_to_array(${[...ids].join()}::text, ',')::integer[]`
  }
  const [found] = await reader.query(
    VersionsWithDependencies,
    prepared(sql`
      SELECT
        (SELECT json_agg((SELECT area_version.changes FROM (${areaVersion(sql`lookup.bounding_cells`, 'public')}) area_version) ORDER BY lookup.number) FROM (
          SELECT string_to_array(input.cell_list, ',')::bigint[] AS bounding_cells, input.number
          FROM unnest((SELECT string_to_array(${distinctCellLists.join(';')}::text, ';'))) WITH ORDINALITY input (cell_list, number) ${optimizationFence}) lookup) AS "changeCounts",
        ${dependencyColumns({ users: toIdArray('users'), requestTypes: toIdArray('requestTypes') })}`),
  )
  if (!found) return []
  const countsByCellList = new Map(distinctCellLists.map((cellList, n) => [cellList, found.changeCounts[n] ?? 0]))
  const [users, requestTypes] = [toSerializedById(found.users), toSerializedById(found.requestTypes)]
  return lookups.map(({ dependencyIds }, n) => ({
    version: {
      change_count: countsByCellList.get(cellLists[n] ?? '') ?? 0,
      viewer_any_change_at: null,
      organization_area_hashes: null,
      boundary_hash: null,
    },
    dependencies: {
      users: pickSerialized(users, dependencyIds.users),
      requestTypes: pickSerialized(requestTypes, dependencyIds.requestTypes),
    },
  }))
}
