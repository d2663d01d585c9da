import type { FastifyBaseLogger } from 'fastify'

import { collectOrigins, resolveStyle, tileJsonUrls, type Style } from './style-addresses.ts'

export interface ExternalStyle {
  readonly style: Style
  /** Servers from which browsers load the style's tiles, fonts and pictures: `https://host`, for the Content-Security-Policy. */
  readonly origins: readonly string[]
}

export interface ExternalStyleReader {
  /** Waits for the first attempt only. Returns undefined if the style could not be read yet. */
  read(): Promise<ExternalStyle | undefined>
}

const FRESH_MS = 3_600_000
const RETRY_MS = 60_000
const TIMEOUT_MS = 5_000
const STYLE_BYTES_MAX = 2 * 1024 * 1024

type Log = Pick<FastifyBaseLogger, 'warn'>

/** Returns a reader that reads the style at once, and again in the background after an hour, or after a minute if it has failed. */
export function createExternalStyleReader(url: string, log: Log, clock: () => number = Date.now): ExternalStyleReader {
  let current: ExternalStyle | undefined
  let nextAt = 0

  async function refresh(): Promise<void> {
    nextAt = clock() + RETRY_MS + TIMEOUT_MS
    try {
      current = await readExternalStyle(url)
      nextAt = clock() + FRESH_MS
    } catch (error) {
      nextAt = clock() + RETRY_MS
      log.warn({ err: error }, 'the style of the base map could not be read: pages have the last one, or the own base map')
    }
  }
  const first = refresh()

  return {
    async read() {
      if (clock() >= nextAt) void refresh()
      await first
      return current
    },
  }
}

/** @throws Error if the style or one of its sources cannot be read, is too large or is no style of version 8 */
export async function readExternalStyle(url: string): Promise<ExternalStyle> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const { json, finalUrl } = await readJson(url, signal)
  const style = resolveStyle(json, finalUrl)
  const sources = await Promise.all(tileJsonUrls(style).map((source) => readJson(source, signal)))
  return { style, origins: collectOrigins(style, sources) }
}

async function readJson(url: string, signal: AbortSignal): Promise<{ json: unknown; finalUrl: string }> {
  const response = await fetch(url, { headers: { 'user-agent': 'Fixpoint', accept: 'application/json' }, signal })
  if (!response.ok) throw new Error(`The server of the style answered with status ${response.status}.`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > STYLE_BYTES_MAX) throw new Error(`The style or its source has more than ${STYLE_BYTES_MAX} bytes.`)
    chunks.push(chunk)
  }
  return { json: JSON.parse(Buffer.concat(chunks).toString('utf8')), finalUrl: response.url }
}
