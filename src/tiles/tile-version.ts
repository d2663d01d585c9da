import Type from 'typebox'

import { type Queryable, type Sql, sql } from '../database/database.ts'
import { prepared } from '../database/database.ts'
import type { Box } from '../geo/shapes.ts'
import { cellsAround } from '../geo/pyramid/area-cells.ts'
import { areaVersion } from '../geo/pyramid/totals.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { versionText } from '../issues/list/statement.ts'

/** A text that differs whenever a tile may have changed; other changes in its cells change it too. Tiles show the same issues to all callers. */
export type TileVersion = string

export const TileVersionRow = Type.Object({ version: Type.String() })

/** Read the version before the tile or in the same statement, so that it is never newer. */
export async function findTileVersion(reader: Queryable, box: Box, filter: IssueFilter): Promise<TileVersion | undefined> {
  const [row] = await reader.query(prepared(sql.type(TileVersionRow)`SELECT ${tileVersionColumn(box, filter)}`))
  return row?.version
}

/** Returns the column of a `TileVersionRow`. */
export const tileVersionColumn = (box: Box, { area }: IssueFilter): Sql =>
  sql`${versionText(sql`(SELECT tile.changes FROM (${areaVersion(cellsAround({ kind: 'box', box }))}) tile)`, area)} AS version`
