import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('./files/', import.meta.url))
const DAY_MS = 86_400_000

/** Stands in the address of a file, so that a page never meets the style or script of another version. */
export function assetVersion(file: string): string {
  const cached = versions.get(file)
  if (cached !== undefined) return cached
  const version = createHash('sha1')
    .update(readFileSync(`${folder}${file}`))
    .digest('base64url')
    .slice(0, 8)
  versions.set(file, version)
  return version
}

const versions = new Map<string, string>()

/** What the pages and answers are drawn with: /files/style.css, /files/icons/<category>.svg and the like, each a route of its own. */
export async function serveAssets(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/files/',
    // Only what is there becomes a route; the rest of /files belongs to the pictures of reports.
    wildcard: false,
    index: false,
    maxAge: DAY_MS,
    setHeaders: (reply) => {
      // An icon that is opened by itself is a document, too.
      void reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
    },
  })
  // Browsers and robots ask for these two by name.
  app.get('/favicon.ico', (_request, reply) => reply.sendFile('favicon.ico'))
  app.get('/robots.txt', (_request, reply) => reply.sendFile('robots.txt'))
}
