import type { Statement } from './reference-totals.ts'

/* A frozen copy of the service's statement for the page of a city: it merges the newest issues of each cell. */

/** Level of the cells in the index, about 4 km wide. */
const LEVEL = 13
const PER_PAGE = 20

const levelOf = (cell: number) => Math.floor(Math.log2(cell) / 2)

/** Returns the cells of that level which contain the cells of a city, or undefined if a cell is larger. */
export function toIndexCells(cells: readonly number[]): number[] | undefined {
  if (cells.some((cell) => levelOf(cell) < LEVEL)) return undefined
  return [...new Set(cells.map((cell) => Math.floor(cell / 4 ** (levelOf(cell) - LEVEL))))]
}

/** Returns true if this statement reads fewer rows than the city has, and fewer than an index scan by date. */
export function isShorter(cells: readonly number[], { entries, in_table }: { entries: number; in_table: number }): boolean {
  const inCells = 2 * cells.length * PER_PAGE
  return inCells < entries && inCells < (PER_PAGE * in_table) / entries
}

export const newestInCells = (own: string, related: string, where: string) => (cells: readonly number[], box: unknown[]) =>
  ({
    name: 'newest-in-cells',
    text: `
      SELECT i.*, ${related} FROM (
        SELECT own.*, cut.sort_key FROM (
          SELECT n.* FROM unnest($1::bigint[]) k (cell)
          CROSS JOIN LATERAL (
            SELECT i.id, i.created_at AS sort_key FROM issues i
            WHERE (i.cell >> 6) = k.cell AND ${where} AND CASE WHEN i.lng BETWEEN $2 AND $4 AND i.lat BETWEEN $3 AND $5 THEN TRUE END
            ORDER BY i.created_at DESC, i.id DESC LIMIT (SELECT ${PER_PAGE}::bigint)) n
          ORDER BY n.sort_key DESC, n.id DESC LIMIT (SELECT ${PER_PAGE}::bigint)) cut
        CROSS JOIN LATERAL (SELECT ${own} FROM issues i WHERE i.id = cut.id OFFSET 0) own) i
      ORDER BY i.sort_key DESC, i.id DESC`,
    values: [cells, ...box],
  }) satisfies Statement
