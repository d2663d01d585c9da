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
  /** Path of a module for the step that chooses the type of a report. */
  readonly reportType: string
  /** Path of a module for the form of a report. */
  readonly reportForm: string
  /** Path of a module for forms with a picture: that of a comment, whose text it keeps, and that of an account. */
  readonly commentForm: string
  /** Path of a module for the list of staff. */
  readonly worklist: string
  /** Path of a module for forms with a preview. */
  readonly formPreview: string
  /** Paths of the module of the page without a connection, and of those that it imports. */
  readonly offline: readonly string[]
  /** Path of MapLibre's style sheet. */
  readonly stylesheet: string
}

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
    get stylesheet() {
      return path('maplibre-gl.css')
    },
    get reportType() {
      return path('type-step.ts')
    },
    get reportForm() {
      return path('report-form.ts')
    },
    get commentForm() {
      return path('issue-page/comment-draft.ts')
    },
    get worklist() {
      return path('worklist-page.ts')
    },
    get formPreview() {
      return path('form-preview.ts')
    },
    get offline() {
      return listModules(browserFiles, 'offline-page.ts').map(path)
    },
    report: async () => ({ script: path('report-page.ts'), fallback, ...(await wholeWidth()) }),
    draw: async () => ({ script: path('watch-areas/draw-page.ts'), ...(await wholeWidth()) }),
    full: async () => ({ script: path('issue-map/map-page.ts'), fallback, ...(await wholeWidth()) }),
    embedded: async () => ({ script: path('issue-map/embedded-map.ts'), origins: await origins() }),
    controls: (language) => ({
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
