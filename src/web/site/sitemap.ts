import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Readable } from 'node:stream'
import Type from 'typebox'

import { problems } from '../../errors/problems.ts'
import { html } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Services } from '../../services.ts'
import { listSitemapParts, readSitemapPart, sitemapKinds, type SitemapRow } from './sitemap-queries.ts'

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'
const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const CACHE = 'public, max-age=3600'
const pagePaths = ['/', '/places', '/questions', '/data', '/data/dictionary', '/about', '/privacy', '/terms']

/** The sitemap (sitemaps.org) of the public pages: an index of files, each with at most 50,000 addresses, and robots.txt, which names it. */
export const sitemapRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  const reader = { query: db.read }

  app.get('/robots.txt', async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', CACHE)
      .send(`User-agent: *\nDisallow: /api/\nAllow: /\n\nSitemap: ${urls.at('/sitemap.xml')}\n`),
  )

  app.get('/sitemap.xml', async (_request, reply) => {
    const files: string[] = ['/sitemap-pages.xml']
    for (const kind of sitemapKinds) {
      const parts = await listSitemapParts(reader, kind)
      files.push(...parts.map((part) => `/sitemap-${kind}-${part}.xml`))
    }
    const entries = files.map((file) => html`<sitemap><loc>${urls.at(file)}</loc></sitemap>\n`)
    return sendXml(reply, `${XML}<sitemapindex xmlns="${NAMESPACE}">\n${entries.join('')}</sitemapindex>\n`)
  })

  app.get('/sitemap-pages.xml', async (_request, reply) => {
    const entries = pagePaths.map((path) => html`<url><loc>${urls.at(path)}</loc></url>\n`)
    return sendXml(reply, `${XML}<urlset xmlns="${NAMESPACE}">\n${entries.join('')}</urlset>\n`)
  })

  const params = Type.Object({ part: Type.Integer({ minimum: 1, maximum: 50_000 }) })
  for (const kind of sitemapKinds) {
    app.get(`/sitemap-${kind}-:part(^\\d+).xml`, { schema: { params } }, async (request, reply) => {
      const batches = readSitemapPart(reader, kind, request.params.part)
      const first = await batches.next()
      // A file without addresses is not valid.
      if (first.done) throw problems.notFound('the_resource')
      return sendXml(reply, Readable.from(writeFile(first.value, batches, urls)))
    })
  }
}

interface XmlReply {
  type(type: string): XmlReply
  header(name: string, value: string): XmlReply
  send(payload: string | Readable): XmlReply
}

const sendXml = (reply: XmlReply, body: string | Readable) =>
  reply.type('application/xml; charset=utf-8').header('cache-control', CACHE).send(body)

async function* writeFile(first: readonly SitemapRow[], others: AsyncGenerator<readonly SitemapRow[]>, urls: Urls) {
  const entries = (rows: readonly SitemapRow[]) =>
    rows.map(({ path, changed_at }) => html`<url><loc>${urls.at(path)}</loc><lastmod>${changed_at}</lastmod></url>\n`).join('')
  yield `${XML}<urlset xmlns="${NAMESPACE}">\n${entries(first)}`
  for await (const rows of others) yield entries(rows)
  yield '</urlset>\n'
}
