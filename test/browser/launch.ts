import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path))
export const hasChromium = executablePath !== undefined

/** Draws WebGL without a graphics card. */
const WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist']

export function launchChromium({ webGl = true } = {}): Promise<Browser> {
  const args = ['--no-sandbox', ...(webGl ? WEBGL : ['--disable-gpu', '--disable-3d-apis'])]
  return chromium.launch({ executablePath: executablePath ?? '', args })
}
