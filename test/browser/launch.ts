import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The headless shell does the same work with less processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const executablePath = NAMES.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path))
export const hasChromium = executablePath !== undefined

/** Draws WebGL without a graphics card. All else is faster without the emulation of one. */
const WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-compositing']

export function launchChromium({ webGl = true } = {}): Promise<Browser> {
  const args = ['--no-sandbox', ...(webGl ? WEBGL : ['--disable-gpu', '--disable-3d-apis'])]
  return chromium.launch({ executablePath: executablePath ?? '', args })
}
