import type { Config } from '../config.ts'
import type { PrismaHandle } from '../database/database.ts'
import type { StreetMap } from '../geo/street-map.ts'
import type { NamedStreet } from './extract-archive.ts'

export interface StreetSources {
  readonly config: Pick<Config, 'basemapStyleUrl' | 'basemapPmtiles'>
  readonly db: PrismaHandle
  /** The streets that the demo invents. */
  readonly readStreetMaps: (() => Promise<readonly StreetMap[]>) | undefined
  /** The streets of the PMTiles file. */
  readonly readNamedStreets?: () => Promise<readonly NamedStreet[]>
}

export const SET_BASE_MAP =
  'Set a base map: npm run basemap -- city.pmtiles, or npm run basemap -- openfreemap (npm run basemap -- --help).'

/** Says to operators what to do if maps have no streets. */
export const NO_STREETS = `Maps have no streets, so residents cannot find their spot. ${SET_BASE_MAP}`

/** A place of the demo. A comparison of the whole key uses its index. */
const DEMO_PLACE = 'demo:denver'

const hasBaseMap = ({ config }: StreetSources) => config.basemapStyleUrl !== undefined || config.basemapPmtiles !== undefined

/** Returns false without the demo, and with a base map of the operator. */
export async function hasDemoStreets(sources: StreetSources): Promise<boolean> {
  if (!sources.readStreetMaps || hasBaseMap(sources)) return false
  const { place } = sources.db.prisma
  return (await place.findUnique({ where: { import_key: DEMO_PLACE }, select: { id: true } })) !== null
}

/** Returns false if the maps show neither a base map of the operator nor the streets of the demo. */
export const hasStreets = async (sources: StreetSources): Promise<boolean> => hasBaseMap(sources) || (await hasDemoStreets(sources))
