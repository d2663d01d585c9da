import type { ServiceAreaRow } from '../../request-types/service-area-queries.ts'

/** Limit for the areas of a page in the table, where they are compressed: as GeoJSON they have up to ten times as many bytes. */
const STORED_BYTES_MAX = 1_000_000

/** Returns the first areas that fit into a page; the first one always does, so that every page makes progress. */
export function takePage(areas: readonly ServiceAreaRow[], bytesMax: number = STORED_BYTES_MAX): readonly ServiceAreaRow[] {
  let bytes = 0
  const end = areas.findIndex(({ stored_bytes }, index) => {
    bytes += stored_bytes
    return index > 0 && bytes > bytesMax
  })
  return end === -1 ? areas : areas.slice(0, end)
}
