import { openSource } from '../../src/imports/reading/source-file.ts'
import type { SourceRow } from '../../src/imports/reading/source-row.ts'

/** Returns all rows of a file without their sizes. */
export async function rowsOf(path: string, rows: SourceRow[] = []): Promise<SourceRow[]> {
  const source = await openSource(path)
  for await (const portion of (await source.read()).portions) rows.push(...portion.map(({ size: _, ...row }) => row))
  return rows
}

export const POINT = { type: 'Point', coordinates: [-84.39, 33.75] }
export const feature = (id: number) => ({ type: 'Feature', id, properties: { summary: `Number ${id}` }, geometry: POINT })
export const rowOfFeature = (line: number, id: number) => ({
  line,
  values: { summary: `Number ${id}` },
  feature: feature(id),
})
