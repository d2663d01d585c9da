import type { FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'

import { weakEtag } from '../http/caching/conditional.ts'

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

export const styleSheet = names.map((name) => readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8')).join('\n')
const etag = weakEtag(styleSheet)

export function serveStyleSheet(app: FastifyInstance): void {
  app.get('/files/style.css', async (_request, reply) => {
    void reply.headers({ etag, 'cache-control': `public, max-age=${DAY_S}` })
    return reply.type('text/css; charset=utf-8').send(styleSheet)
  })
}
