import DataLoader from 'dataloader'
import Type from 'typebox'

import { type Queryable, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { onOneReplica } from '../../database/replicas.ts'
import type { Area } from '../../geo/area.ts'
import { computeBoundingCells } from '../../geo/pyramid/area-cells.ts'
import type { Cell } from '../../geo/pyramid/cells.ts'
import { boundingCellCounts } from '../../geo/pyramid/totals.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { pickTexts, indexById, type DependencyIds, dependencyColumns, DependencyTexts } from './etag-dependencies.ts'
import { findListVersion, type FoundVersion } from './version.ts'

/**
 * Concurrent lookups of versions are batched into one statement (docs/adr/0005), because the round trip costs more than the lookup.
 */

interface VersionLookup {
  readonly cells: readonly Cell[]
  readonly dependencyIds: DependencyIds
}

/** This limits the lookups of one batch, so that each stays fast. */
const BATCH_MAX = 32

const loaders = new WeakMap<Queryable, DataLoader<VersionLookup, FoundVersion>>()

/**
 * Returns the version of a list and the users and request types of an ETag, as `findListVersion` does. Only lookups of anonymous
 * callers are batched: members may need a replica that has replayed their own writes.
 */
export function loadListVersion(reader: Queryable, area: Area, viewer: Viewer | null, dependencyIds: DependencyIds) {
  const cells = viewer === null ? computeBoundingCells(area) : null
  return cells ? getLoader(reader).load({ cells, dependencyIds }) : findListVersion(reader, area, viewer, dependencyIds)
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
  const waiting: (() => void)[] = []
  const find = async (lookups: readonly VersionLookup[]) => {
    try {
      // The batch runs in the async context of one request; `onOneReplica` gives it its own choice of a replica.
      return await onOneReplica(() => findVersions(reader, lookups))
    } finally {
      const next = waiting.shift()
      if (next) next()
      else isBusy = false
    }
  }
  return new DataLoader<VersionLookup, FoundVersion>(find, {
    // A cached version could be stale.
    cache: false,
    maxBatchSize: BATCH_MAX,
    batchScheduleFn: (send) => {
      if (isBusy) waiting.push(send)
      // The delay lets all requests that have already arrived join the batch.
      else setImmediate(send)
      isBusy = true
    },
  })
}

const VersionsWithDependencies = Type.Object({ changes: Type.Array(Type.Integer()), ...DependencyTexts.properties })

/** Returns the versions in the order of the lookups. Shared cells, users and request types are looked up once. */
async function findVersions(reader: Queryable, lookups: readonly VersionLookup[]): Promise<FoundVersion[]> {
  const cellTexts = lookups.map(({ cells }) => cells.join())
  const distinct = [...new Set(cellTexts)]
  const toIdArray = (kind: keyof DependencyIds) => {
    const ids = new Set(lookups.flatMap(({ dependencyIds }) => dependencyIds[kind]))
    return sql`string_to_array(${[...ids].join()}::text, ',')::integer[]`
  }
  const [found] = await reader.query(
    VersionsWithDependencies,
    prepared(sql`
      SELECT
        (SELECT json_agg((SELECT h.changes FROM (${boundingCellCounts(sql`l.cells`, () => sql`0`, 'changes')}) h) ORDER BY l.n) FROM (
          SELECT string_to_array(k.cells, ',')::bigint[] AS cells, k.n
          FROM unnest((SELECT string_to_array(${distinct.join(';')}::text, ';'))) WITH ORDINALITY k (cells, n) OFFSET 0) l) AS changes,
        ${dependencyColumns({ people: toIdArray('people'), types: toIdArray('types') })}`),
  )
  if (!found) return []
  const changesBy = new Map(distinct.map((cells, n) => [cells, found.changes[n] ?? 0]))
  const [people, types] = [indexById(found.people), indexById(found.types)]
  return lookups.map(({ dependencyIds }, n) => ({
    version: { changes: changesBy.get(cellTexts[n] ?? '') ?? 0, viewer_changed_at: null, organizations: null, border: null },
    dependencies: { people: pickTexts(people, dependencyIds.people), types: pickTexts(types, dependencyIds.types) },
  }))
}
