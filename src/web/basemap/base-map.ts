import type { FastifyInstance } from 'fastify'
import type { Language } from '../../locales/texts.ts'
import { createLinks } from '../../html/links.ts'
import type { Services } from '../../services.ts'
import { createExternalStyleReader } from './external-style.ts'
import { type Scheme, toOfflineStyle } from './offline-style.ts'
import { openPmtiles, type PmtilesFile } from './pmtiles-file.ts'
import { toPmtilesStyle } from './pmtiles-style.ts'

/** The map under the issues: that of the operator, or the own one, which needs no other server and no file. */
export interface BaseMap {
  /** Servers that browsers need for the map, besides this one. */
  origins(): Promise<readonly string[]>
  style(scheme: Scheme, language: Language): Promise<object>
  offlineStyle(scheme: Scheme, language: Language): object
  readonly pmtiles: PmtilesFile | undefined
  /** True if the map is on another server. */
  readonly isExternal: boolean
  /** False if `style` always returns the own map, so that a browser needs no second try. */
  readonly isConfigured: boolean
}

/** Opens the base map of the configuration. @throws UserFacingError if `BASEMAP_PMTILES` names no suitable file */
export async function openBaseMap(app: FastifyInstance, { config, urls, log }: Services): Promise<BaseMap> {
  const { to } = createLinks(urls)
  const external = config.basemapStyleUrl === undefined ? undefined : createExternalStyleReader(config.basemapStyleUrl, log)
  const pmtiles = config.basemapPmtiles === undefined ? undefined : await openPmtiles(config.basemapPmtiles)
  if (pmtiles) app.addHook('onClose', () => pmtiles.close())
  const ownUrls = (language: Language) => ({
    land: to('/map/land.json'),
    borders: to('/map/borders.json'),
    names: to('/map/names.json', { language }),
    places: to('/map/places.json'),
  })
  const offlineStyle = (scheme: Scheme, language: Language) => toOfflineStyle(ownUrls(language), scheme)

  return {
    pmtiles,
    isExternal: external !== undefined,
    isConfigured: external !== undefined || pmtiles !== undefined,
    offlineStyle,
    origins: async () => (await external?.read())?.origins ?? [],
    async style(scheme, language) {
      if (pmtiles) {
        // MapLibre replaces the braces.
        const tiles = `${to('/basemap')}/{z}/{x}/{y}.mvt?v=${pmtiles.version}`
        return toPmtilesStyle(pmtiles, tiles, ownUrls(language), scheme, language)
      }
      return (await external?.read())?.style ?? offlineStyle(scheme, language)
    },
  }
}
