/* The addresses in a MapLibre style of another server. */

interface Source {
  readonly url?: string
  readonly urls?: readonly string[]
  readonly tiles?: readonly string[]
  readonly data?: unknown
}

export interface Style {
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
export function resolveStyle(json: unknown, base: string): Style {
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
export function tileJsonUrls({ sources }: Style): string[] {
  return Object.values(sources).flatMap(({ url }) => (typeof url === 'string' && isHttp(url) ? [url] : []))
}

interface ReadTileJson {
  readonly json: unknown
  readonly finalUrl: string
}

/** Returns the origins of everything that a browser loads for the style. */
export function collectOrigins(style: Style, tileJsons: readonly ReadTileJson[]): string[] {
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
