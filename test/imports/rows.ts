import { openSource } from '../../src/imports/reading/source-file.ts'
import type { SourceRow } from '../../src/imports/reading/source-row.ts'

export async function readAllRows(path: string, rows: SourceRow[] = []): Promise<SourceRow[]> {
  const source = await openSource(path)
  for await (const chunk of (await source.read()).chunks) rows.push(...chunk.map(({ size: _, ...row }) => row))
  return rows
}

export const POINT = { type: 'Point', coordinates: [-84.39, 33.75] }
export const feature = (id: number) => ({ type: 'Feature', id, properties: { summary: `Number ${id}` }, geometry: POINT })
export const featureRow = (line: number, id: number) => ({
  line,
  values: { summary: `Number ${id}` },
  feature: feature(id),
})
