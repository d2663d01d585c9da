import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import { weakEtag } from '../http/caching/validators.ts'

const folder = fileURLToPath(new URL('./files/', import.meta.url))
const DAY_MS = 86_400_000

/** The version is part of each URL, so that a cached file of another version is never used. */
export function assetVersion(file: string): string {
  const cached = versions.get(file)
  if (cached !== undefined) return cached
  const version = createHash('sha1')
    .update(file === 'style.css' ? styleSheet : readFileSync(`${folder}${file}`))
    .digest('base64url')
    .slice(0, 8)
  versions.set(file, version)
  return version
}

const versions = new Map<string, string>()

export async function serveAssets(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/files/',
    // Other paths under /files belong to uploaded images.
    wildcard: false,
    index: false,
    maxAge: DAY_MS,
    setHeaders: (reply) => {
      // An SVG that is opened directly is a document and needs a policy.
      void reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
    },
  })
  serveStyleSheet(app)
  // Browsers request this path.
  app.get('/favicon.ico', (_request, reply) => reply.sendFile('favicon.ico'))
}

/** The files of the style sheet in the order of the cascade. They are sent as one, because each request delays the page. */
const names = [
  'base',
  'header-and-footer',
  'forms',
  'cards',
  'status',
  'tables-and-pages',
  'drawn-map',
  'issue',
  'moderation',
  'map-page',
  'report',
  'issue-map',
  'drawn-point',
  'account',
  'own-issues',
  'watch-areas',
  'work',
  'numbers',
  'embed',
  'print',
]
const DAY_S = 86_400

const styleSheet = names.map((name) => readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8')).join('\n')
const etag = weakEtag(styleSheet)

function serveStyleSheet(app: FastifyInstance): void {
  app.get('/files/style.css', async (_request, reply) => {
    void reply.headers({ etag, 'cache-control': `public, max-age=${DAY_S}` })
    return reply.type('text/css; charset=utf-8').send(styleSheet)
  })
}

const YEAR_S = 31_536_000
const compress = promisify(gzip)

export interface BrowserModules {
  /** Returns the path of a module; it changes with the content of any module, so browsers cache files forever. */
  path(name: string): string
}

interface BrowserFiles {
  readonly assets: ReadonlyMap<string, Asset>
  /** Changes with the content of any file. */
  readonly version: string
}

interface Asset {
  readonly contentType: string
  readonly isWorker: boolean
  readonly source: string
  /** Returns the source as browsers need it. */
  readonly content: () => string
  readonly compressed: () => Promise<Buffer>
}

/**
 * Reads the modules that browsers load: the TypeScript files of a folder and its folders, and files of packages.
 * @param folder ends with a slash
 * @param packageFiles specifiers of files, such as `maplibre-gl/dist/maplibre-gl.mjs`
 */
export function readBrowserFiles(folder: URL, packageFiles: readonly string[]): BrowserFiles {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const scripts = names.map((name): [string, Asset] => {
    const source = readFileSync(new URL(name, folder), 'utf8')
    return [name, createAsset(source, JAVASCRIPT, () => stripTypes(source))]
  })
  const files = packageFiles.map((specifier): [string, Asset] => {
    const name = specifier.split('/').at(-1) ?? ''
    const source = readFileSync(fileURLToPath(import.meta.resolve(specifier)), 'utf8')
    const contentType = name.endsWith('.css') ? 'text/css; charset=utf-8' : JAVASCRIPT
    return [
      name,
      { ...createAsset(source, contentType, () => source.replace(SOURCE_MAP, '')), isWorker: name.endsWith('-worker.mjs') },
    ]
  })
  const assets = new Map([...scripts, ...files])
  return { assets, version: hash([process.version, ...[...assets.values()].map(({ source }) => source)]) }
}

/**
 * Serves files under one path, so that relative imports between modules of the folder and of packages work. Types are removed.
 * @param workerOrigins returns the servers that a worker may send requests to, besides this one
 */
export function serveBrowserModules(
  app: FastifyInstance,
  { assets, version }: BrowserFiles,
  workerOrigins?: () => Promise<readonly string[]>,
): BrowserModules {
  const prefix = `/files/modules/${version}`

  app.get<{ Params: { '*': string } }>(`${prefix}/*`, { compress: false }, async (request, reply) => {
    const asset = assets.get(request.params['*'])
    if (!asset) return reply.callNotFound()
    const isWorker = workerOrigins !== undefined && asset.isWorker
    const origins = isWorker ? await workerOrigins() : []
    void reply.headers({
      'content-type': asset.contentType,
      'cache-control': isWorker ? 'no-cache' : `public, max-age=${YEAR_S}, immutable`,
      // A worker has the policy of its own file, which therefore is not stored for longer than the policy is right.
      'content-security-policy': `default-src 'none'; script-src 'self'; connect-src ${["'self'", ...origins].join(' ')}`,
      etag: weakEtag(JSON.stringify([version, ...origins])),
      vary: 'Accept-Encoding',
    })
    if (request.accepts().encoding(['gzip', 'identity']) !== 'gzip') return reply.send(asset.content())
    return reply.header('content-encoding', 'gzip').send(await asset.compressed())
  })
  return { path: (name) => `${prefix}/${name}` }
}

/** A specifier follows `from` or `import` in every form of an import, on the same line or not. */
const IMPORTED = /\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g

/** Returns a module and those that it imports, by `import()` too. Imports of types are not loaded. */
export function listModules(files: Pick<BrowserFiles, 'assets'>, name: string, found: readonly string[] = []): readonly string[] {
  const asset = files.assets.get(name)
  if (!asset || found.includes(name)) return found
  const imports = [...asset.content().matchAll(IMPORTED)].map(([, path = '']) => posix.join(posix.dirname(name), path))
  return imports.reduce((all, imported) => listModules(files, imported, all), [...found, name] as readonly string[])
}

function createAsset(source: string, contentType: string, convert: () => string): Asset {
  const content = once(convert)
  return { contentType, isWorker: false, source, content, compressed: once(() => compress(content(), { level: 9 })) }
}

/** Removing the types of all files takes a tenth of a start, so each is converted at its first request. */
function once<Result extends object | string>(work: () => Result): () => Result {
  let result: Result | undefined
  return () => (result ??= work())
}

/** Node warns at its first use that the function is experimental. Tests run its output in a browser. */
function stripTypes(source: string): string {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
/** Source maps are not served. */
const SOURCE_MAP = /\n\/\/# sourceMappingURL=\S+\s*$/

function hash(contents: readonly string[]): string {
  const digest = createHash('sha1')
  for (const content of contents) digest.update(content)
  return digest.digest('base64url').slice(0, 10)
}
