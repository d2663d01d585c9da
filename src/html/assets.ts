import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { weakEtag } from '../http/caching/conditional.ts'

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
