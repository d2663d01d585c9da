import { type BrowserModules, readBrowserModules } from '../../html/browser-modules.ts'

const packageFiles = ['maplibre-gl.mjs', 'maplibre-gl-worker.mjs', 'maplibre-gl-shared.mjs', 'maplibre-gl.css'].map(
  (name) => `maplibre-gl/dist/${name}`,
)

let modules: BrowserModules | undefined

/** Returns the modules of all pages with a map. They share one version, so that browsers load MapLibre once. */
export const mapModules = (): BrowserModules =>
  (modules ??= readBrowserModules(new URL('./browser/', import.meta.url), packageFiles))
