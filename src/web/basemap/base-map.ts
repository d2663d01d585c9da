import type { FastifyInstance } from 'fastify'
import { type Language, textsIn } from '../../locales/texts.ts'
import { createExternalStyleReader } from '../../basemap/external-style.ts'
import { hasDemoStreets } from '../../basemap/has-streets.ts'
import { openPmtiles, type TileSource } from '../../basemap/pmtiles-file.ts'
import { createLinks } from '../../html/links.ts'
import type { Services } from '../../services.ts'
import { type Scheme, toOfflineStyle, toPmtilesStyle, addStreets, STREETS_VERSION } from './styles.ts'
import { createStreetTiles } from './street-tiles.ts'

/** The map under the issues: that of the operator, or the own one, which needs no other server and no file. */
export interface BaseMap {
  /** Servers that browsers need for the map, besides this one. */
  origins(): Promise<readonly string[]>
  style(scheme: Scheme, language: Language): Promise<object>
  offlineStyle(scheme: Scheme, language: Language): Promise<object>
  /** Tiles that this service serves; undefined if the map is on another server. */
  readonly tiles: TileSource | undefined
  /** True if the map is on another server. */
  readonly isExternal: boolean
  /** False if `style` always returns the own map, so that a browser needs no second try. */
  readonly isConfigured: boolean
}

/** Opens the base map of the configuration. @throws UserFacingError if the PMTiles file is not suitable */
export async function openBaseMap(app: FastifyInstance, services: Services): Promise<BaseMap> {
  const { config, urls, log } = services
  const { to } = createLinks(urls)
  const external = config.basemapStyleUrl === undefined ? undefined : createExternalStyleReader(config.basemapStyleUrl, log)
  const pmtiles =
    config.basemapPmtiles === undefined
      ? undefined
      : await openPmtiles(
          config.basemapPmtiles,
          `The service cannot start: ${config.basemapPmtiles} (BASEMAP_PMTILES or npm run basemap)`,
        )
  if (pmtiles) app.addHook('onClose', () => pmtiles.close())
  const ownUrls = (language: Language) => ({
    land: to('/map/land.json'),
    borders: to('/map/borders.json'),
    names: to('/map/names.json', { language }),
    places: to('/map/places.json'),
  })
  // MapLibre replaces the braces.
  const tilesUrl = (version: string) => `${to('/basemap')}/{z}/{x}/{y}.mvt?v=${version}`
  const offlineStyle = async (scheme: Scheme, language: Language) => {
    const style = toOfflineStyle(ownUrls(language), scheme)
    if (!(await hasDemoStreets(services))) return style
    return addStreets(style, tilesUrl(STREETS_VERSION), scheme, textsIn(language)('map.inventedStreets'))
  }

  return {
    tiles: pmtiles ?? (external ? undefined : createStreetTiles(services)),
    isExternal: external !== undefined,
    isConfigured: external !== undefined || pmtiles !== undefined,
    offlineStyle,
    origins: async () => (await external?.read())?.origins ?? [],
    async style(scheme, language) {
      if (pmtiles) {
        return toPmtilesStyle(pmtiles, tilesUrl(pmtiles.version), ownUrls(language), scheme, language)
      }
      return (await external?.read())?.style ?? offlineStyle(scheme, language)
    },
  }
}
