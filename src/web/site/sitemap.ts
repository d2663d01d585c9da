import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Readable } from 'node:stream'
import Type, { type Static } from 'typebox'
import { problems } from '../../errors/problems.ts'
import { html } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Services } from '../../services.ts'
import { Id, Timestamp, type Queryable, type Sql, sql } from '../../database/database.ts'

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'
const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const CACHE = 'public, max-age=3600'
const pagePaths = ['/', '/places', '/questions', '/data', '/data/dictionary', '/about', '/privacy', '/terms']

/** The sitemap (sitemaps.org) of the public pages: an index of files, each with at most 50,000 addresses, and robots.txt, which names it. */
export const sitemapRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  app.get('/robots.txt', async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', CACHE)
      .send(`User-agent: *\nDisallow: /api/\nAllow: /\n\nSitemap: ${urls.at('/sitemap.xml')}\n`),
  )

  app.get('/sitemap.xml', async (_request, reply) => {
    const files: string[] = ['/sitemap-pages.xml']
    for (const kind of sitemapKinds) {
      const parts = await listSitemapParts(db.reader, kind)
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
      const batches = readSitemapPart(db.reader, kind, request.params.part)
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

/** Limit of the protocol for the addresses in one file. A file has the rows of this many ids, so it never has more. */
const ADDRESSES_MAX = 50_000
const ROWS_OF_A_QUERY = 5_000

const sitemapKinds = ['issues', 'places', 'question-lists', 'questions'] as const
type SitemapKind = (typeof sitemapKinds)[number]

interface Subject {
  readonly table: Sql
  readonly path: Sql
  readonly changedAt: Sql
  readonly isListed: Sql
}

const publicQuestions = sql`FROM questions q WHERE q.place_id = s.id AND q.moderation_state = 'passed'`

const subjects: Readonly<Record<SitemapKind, Subject>> = {
  issues: {
    table: sql`issues`,
    path: sql`'/issues/' || s.id`,
    changedAt: sql`s.updated_at`,
    isListed: sql`s.moderation_state = 'passed' AND s.status <> 'Archived'`,
  },
  places: { table: sql`places`, path: sql`'/places/' || s.url_name`, changedAt: sql`s.changed_at`, isListed: sql`TRUE` },
  // The list of a city without questions has no text of its own.
  'question-lists': {
    table: sql`places`,
    path: sql`'/places/' || s.url_name || '/questions'`,
    changedAt: sql`(SELECT max(q.changed_at) ${publicQuestions})`,
    isListed: sql`s.place_type = 'City' AND EXISTS (SELECT ${publicQuestions})`,
  },
  questions: {
    table: sql`questions`,
    path: sql`'/questions/' || s.id`,
    changedAt: sql`s.updated_at`,
    isListed: sql`s.moderation_state = 'passed'`,
  },
}

const Part = Type.Object({ part: Type.Integer({ minimum: 1 }) })

/** Returns the numbers of the files that have addresses. Each costs one look-up in the index of ids. */
async function listSitemapParts(db: Queryable, kind: SitemapKind): Promise<number[]> {
  const { table, isListed } = subjects[kind]
  const next = (after: Sql) => sql`(SELECT s.id FROM ${table} s WHERE s.id > ${after} AND ${isListed} ORDER BY s.id LIMIT 1)`
  const rows = await db.query(sql.type(Part)`
    WITH RECURSIVE first_ids (id) AS (
      SELECT ${next(sql`0`)}
      UNION ALL
      SELECT ${next(sql`((first_ids.id - 1) / ${ADDRESSES_MAX}::bigint + 1) * ${ADDRESSES_MAX}::bigint`)}
      FROM first_ids WHERE first_ids.id IS NOT NULL)
    SELECT ((first_ids.id - 1) / ${ADDRESSES_MAX}::integer + 1)::integer AS part FROM first_ids WHERE first_ids.id IS NOT NULL`)
  return rows.map(({ part }) => part)
}

const SitemapRow = Type.Object({ id: Id, path: Type.String(), changed_at: Timestamp })
type SitemapRow = Static<typeof SitemapRow>

/** Yields the rows of a file by id, some thousand at a time. */
async function* readSitemapPart(db: Queryable, kind: SitemapKind, part: number): AsyncGenerator<readonly SitemapRow[]> {
  const { table, path, changedAt, isListed } = subjects[kind]
  let after = (part - 1) * ADDRESSES_MAX
  const last = after + ADDRESSES_MAX
  for (;;) {
    const rows = await db.query(sql.type(SitemapRow)`
      SELECT s.id, ${path} AS path, ${changedAt} AS changed_at FROM ${table} s
      WHERE s.id > ${after}::bigint AND s.id <= ${last}::bigint AND ${isListed}
      ORDER BY s.id
      LIMIT ${ROWS_OF_A_QUERY}::integer`)
    if (rows.length > 0) yield rows
    const end = rows.at(-1)
    if (!end || rows.length < ROWS_OF_A_QUERY) return
    after = end.id
  }
}
