import Type, { type Static } from 'typebox'

import { nullable } from '../database/columns.ts'
import { type Queryable, type Sql, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import type { Box } from '../geo/box.ts'
import { cellsAround } from '../geo/pyramid/area-cells.ts'
import { areaVersion } from '../geo/pyramid/totals.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { loadListVersion } from '../issues/list/version-loader.ts'
import { ListVersion, listVersionColumns, namesVersion } from '../issues/list/version.ts'

/**
 * Returns a text that differs whenever a tile may have changed; other changes in its cells change it too. It counts public changes for
 * every caller, because tiles show the same issues to all.
 */
export type TileVersion = string

export const TileVersionRow = Type.Object({ ...ListVersion.properties, names_version: nullable(Type.String()) })

const noDependencies = { users: [], requestTypes: [] }

/** Read the version before the tile or in the same statement, so that it is never newer. */
export async function findTileVersion(
  reader: Queryable,
  box: Box,
  filter: IssueFilter,
  viewer: Viewer | null,
): Promise<TileVersion | undefined> {
  if (viewer || isStored(filter) || filter.condition) {
    const [row] = await reader.query(TileVersionRow, prepared(sql`SELECT ${tileVersionColumns(box, filter)}`))
    return row && toTileVersion(row)
  }
  const found = await loadListVersion(reader, { kind: 'box', box }, null, noDependencies)
  return found && toTileVersion({ ...found.version, names_version: null })
}

/** The boundary of a place or watch area may change. */
const isStored = ({ area: { kind } }: IssueFilter) => kind === 'place' || kind === 'watchArea'

/** Returns the columns of a `TileVersionRow`. */
export function tileVersionColumns(box: Box, { area, condition }: IssueFilter): Sql {
  return sql`(SELECT tile.changes FROM (${areaVersion(cellsAround({ kind: 'box', box }), 'public')}) tile) AS change_count, ${listVersionColumns(area, null)},
    ${condition ? namesVersion : sql`NULL::text`} AS names_version`
}

export const toTileVersion = ({ change_count, boundary_hash, names_version }: Static<typeof TileVersionRow>): TileVersion =>
  JSON.stringify([change_count, boundary_hash, names_version])
