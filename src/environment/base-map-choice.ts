import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface BaseMapChoice {
  readonly pmtiles?: string
  readonly styleUrl?: string
}

/** Returns the paths of the files in the data folder that `npm run basemap` writes. At most one of them exists. */
export const baseMapFiles = (dataDir: string): Required<BaseMapChoice> => ({
  pmtiles: join(dataDir, 'basemap', 'basemap.pmtiles'),
  styleUrl: join(dataDir, 'basemap', 'style-url.txt'),
})

/** Returns the path of the PMTiles file or the address of the style that `npm run basemap` has set. */
export function readBaseMapChoice(dataDir: string): BaseMapChoice {
  const { pmtiles, styleUrl } = baseMapFiles(dataDir)
  if (existsSync(pmtiles)) return { pmtiles }
  return existsSync(styleUrl) ? { styleUrl: readFileSync(styleUrl, 'utf8').trim() } : {}
}
