import type { FastifyBaseLogger } from 'fastify'

/* The addresses in a MapLibre style of another server. */

interface Source {
  readonly url?: string
  readonly urls?: readonly string[]
  readonly tiles?: readonly string[]
  readonly data?: unknown
}

interface Style {
  readonly version: 8
  readonly sources: Readonly<Record<string, Source>>
  readonly layers: readonly unknown[]
  readonly glyphs?: string
  readonly sprite?: string | readonly { readonly id: string; readonly url: string }[]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns the style with absolute addresses, since relative ones are relative to its own address.
 * @throws Error if it is no style of version 8
 */
function resolveStyle(json: unknown, base: string): Style {
  if (!isObject(json) || json['version'] !== 8 || !isObject(json['sources']) || !Array.isArray(json['layers'])) {
    throw new Error('The address does not return a MapLibre style of version 8.')
  }
  const style = json as unknown as Style
  const absolute = (address: string) => toAbsolute(address, base)
  const { glyphs, sprite } = style
  return {
    ...style,
    sources: Object.fromEntries(Object.entries(style.sources).map(([name, source]) => [name, resolveSource(source, absolute)])),
    ...(typeof glyphs === 'string' ? { glyphs: absolute(glyphs) } : {}),
    ...(typeof sprite === 'string' ? { sprite: absolute(sprite) } : {}),
    ...(Array.isArray(sprite)
      ? { sprite: sprite.map((one: { id: string; url: string }) => ({ ...one, url: absolute(one.url) })) }
      : {}),
  }
}

function resolveSource(source: Source, absolute: (address: string) => string): Source {
  const { url, urls, tiles, data } = source
  return {
    ...source,
    ...(typeof url === 'string' ? { url: absolute(url) } : {}),
    ...(Array.isArray(urls) ? { urls: urls.map(absolute) } : {}),
    ...(Array.isArray(tiles) ? { tiles: tiles.map(absolute) } : {}),
    ...(typeof data === 'string' ? { data: absolute(data) } : {}),
  }
}

/** Braces stay as they are, because MapLibre replaces `{z}` and `{fontstack}`. */
function toAbsolute(address: string, base: string): string {
  if (!URL.canParse(address, base)) throw new Error('The style contains an invalid address.')
  return new URL(address, base).href.replaceAll(/%7B/gi, '{').replaceAll(/%7D/gi, '}')
}

/** Returns the addresses of the sources that are described by a TileJSON. */
function tileJsonUrls({ sources }: Style): string[] {
  return Object.values(sources).flatMap(({ url }) => (typeof url === 'string' && isHttp(url) ? [url] : []))
}

interface ReadTileJson {
  readonly json: unknown
  readonly finalUrl: string
}

/** Returns the origins of everything that a browser loads for the style. */
function collectOrigins(style: Style, tileJsons: readonly ReadTileJson[]): string[] {
  const { glyphs, sprite } = style
  const addresses = [
    glyphs,
    ...(typeof sprite === 'string' ? [sprite] : (sprite ?? []).map(({ url }) => url)),
    ...Object.values(style.sources).flatMap(({ url, urls = [], tiles = [], data }) => [url, ...urls, ...tiles, data]),
    ...tileJsons.flatMap(({ json, finalUrl }) => [finalUrl, ...tilesOf(json).map((tile) => toAbsolute(tile, finalUrl))]),
  ]
  const urls = addresses.filter((address) => typeof address === 'string' && isHttp(address)) as string[]
  return [...new Set(urls.map((url) => new URL(url).origin))].sort()
}

const tilesOf = (json: unknown): string[] =>
  isObject(json) && Array.isArray(json['tiles']) ? json['tiles'].filter((tile): tile is string => typeof tile === 'string') : []

const isHttp = (address: string) => /^https?:\/\//i.test(address) && URL.canParse(address)

interface ExternalStyle {
  readonly style: Style
  /** Servers from which browsers load the style's tiles, fonts and pictures: `https://host`, for the Content-Security-Policy. */
  readonly origins: readonly string[]
}

interface ExternalStyleReader {
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
