import type { Config } from '../config.ts'
import { stat } from 'node:fs/promises'

import { SET_BASE_MAP } from './has-streets.ts'
import { megabytes } from './keep-base-map.ts'
import { openPmtiles } from './pmtiles-file.ts'

/** Returns a line about the base map that a service with this configuration uses. */
export async function describeBaseMap({ basemapPmtiles, basemapStyleUrl }: Config, env: NodeJS.ProcessEnv): Promise<string> {
  const by = (variable: string) => (env[variable]?.trim() ? ` (set by ${variable}, which has priority over this command)` : '')
  if (basemapStyleUrl !== undefined) {
    return `Base map: the style ${basemapStyleUrl}${by('BASEMAP_STYLE_URL')}. Browsers of readers load it from its servers.`
  }
  if (basemapPmtiles === undefined)
    return `Base map: none. The demo draws streets of its own; other maps have none, so residents cannot find their spot. ${SET_BASE_MAP}`
  const file = await openPmtiles(basemapPmtiles, `${basemapPmtiles}${by('BASEMAP_PMTILES')}`)
  await file.close()
  const { size } = await stat(basemapPmtiles)
  const [west, south, east, north] = file.bounds
  return (
    `Base map: ${basemapPmtiles}${by('BASEMAP_PMTILES')}, ${megabytes(size)}, zoom ${file.minZoom} to ${file.maxZoom}, ` +
    `west ${west}, south ${south}, east ${east}, north ${north}.`
  )
}
