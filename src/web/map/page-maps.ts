import type { FastifyInstance } from 'fastify'

import { type BrowserModules, listModules, readBrowserFiles, serveBrowserModules } from '../../html/assets.ts'
import { createLinks } from '../../html/links.ts'
import type { PageMap } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import { statusName, statuses } from '../../issue-lifecycle/status.ts'
import { type Language, textsIn } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'
import type { BaseMap } from '../basemap/base-map.ts'
import type { MapControls, EmbeddedConfig } from './browser/config.ts'

/** The scripts of maps, and what every map of a page needs. */
export interface PageMaps {
  /** The map of the home page. */
  full(): Promise<PageMap>
  /** The map on which a report starts. */
  report(): Promise<PageMap>
  /** The map on which an area is drawn. */
  draw(): Promise<PageMap>
  /** A map in the text of a page. */
  embedded(): Promise<PageMap>
  controls(language: Language): MapControls
  /** Returns the path of a module of a form or list. */
  path(name: FormModule): string
  /** Paths of the module of the page without a connection, and of those that it imports. */
  readonly offline: readonly string[]
}

/** The modules of a report, of forms with a picture, such as that of a comment, of forms with a preview, and of the list of staff. */
type FormModule = 'type-step.ts' | 'report-form.ts' | 'issue-page/comment-draft.ts' | 'form-preview.ts' | 'worklist-page.ts'

export interface WebServices extends Services {
  readonly maps: PageMaps
  readonly baseMap: BaseMap
}

const packageFiles = ['maplibre-gl.mjs', 'maplibre-gl-worker.mjs', 'maplibre-gl-shared.mjs', 'maplibre-gl.css'].map(
  (name) => `maplibre-gl/dist/${name}`,
)

const browserFiles = readBrowserFiles(new URL('./browser/', import.meta.url), packageFiles)

export function servePageMaps(app: FastifyInstance, urls: Urls, baseMap: BaseMap): PageMaps {
  const { origins } = baseMap
  const modules = serveBrowserModules(app, browserFiles, baseMap.isExternal ? origins : undefined)
  return createPageMaps(modules, urls, baseMap)
}

function createPageMaps(modules: BrowserModules, urls: Urls, { origins, isConfigured }: BaseMap): PageMaps {
  const { to } = createLinks(urls)
  const path = (name: string) => to(modules.path(name))
  const wholeWidth = async () => ({ stylesheet: path('maplibre-gl.css'), origins: await origins() })
  const fallback = path('without-scripts.ts')
  return {
    path,
    get offline() {
      return listModules(browserFiles, 'offline-page.ts').map(path)
    },
    report: async () => ({ script: path('report-page.ts'), fallback, ...(await wholeWidth()) }),
    draw: async () => ({ script: path('watch-areas/draw-page.ts'), ...(await wholeWidth()) }),
    full: async () => ({ script: path('issue-map/map-page.ts'), fallback, ...(await wholeWidth()) }),
    embedded: async () => ({ script: path('issue-map/embedded-map.ts'), origins: await origins() }),
    controls: (language) => ({
      stylesheet: path('maplibre-gl.css'),
      baseStyle: to('/map/style.json', { language }),
      publicOrigin: new URL(urls.root).origin,
      canFallBack: isConfigured,
      issue: to('/issues/{id}'),
      pinnedIssue: to('/map/issues/{id}'),
      pinnedIssues: to('/map/issues'),
      statusNames: Object.fromEntries(statuses.map((status) => [status.toLowerCase(), statusName(status, language)])),
      controlTexts: textsIn(language).section('map.controls'),
    }),
  }
}

/** Returns the drawn map, over which a script puts one that can be moved. Without scripts or WebGL the drawn one stays. */
export function embeddedMap(drawing: SafeHtml, config: EmbeddedConfig): SafeHtml {
  return html`<div class="page-map" data-map="${JSON.stringify(config)}">${drawing}</div>`
}

/** The place for the message of a page that its map or its list could not be loaded. */
export const mapFailure = html`<p id="map-failure" class="error-summary" role="alert" hidden></p>`
