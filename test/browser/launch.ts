import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The headless shell does the same work with less processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const executablePath = NAMES.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path))
export const hasChromium = executablePath !== undefined

/** Draws WebGL without a graphics card. */
const WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader']

interface LaunchOptions {
  readonly webGl?: boolean
  /** True to put pages together as with a graphics card. Otherwise the page waits for the pixels of each frame of a map, but takes less processor time. */
  readonly hasGpuCompositing?: boolean
}

export function launchChromium({ webGl = true, hasGpuCompositing = false }: LaunchOptions = {}): Promise<Browser> {
  const compositing = hasGpuCompositing ? '--ignore-gpu-blocklist' : '--disable-gpu-compositing'
  const args = ['--no-sandbox', ...(webGl ? [...WEBGL, compositing] : ['--disable-gpu', '--disable-3d-apis'])]
  return chromium.launch({ executablePath: executablePath ?? '', args })
}
