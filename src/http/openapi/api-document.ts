import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'

import packageJson from '../../../package.json' with { type: 'json' }
import { describeConventions, describeOperations, EXPORTS, FEEDS, OPERATIONS } from './describe-operations.ts'
import { apiPrefix, type Urls } from '../request/urls.ts'

const description = `
Civic issues by area: residents report what is broken at a place, neighbours comment, follow and vote, city hall acknowledges and closes.

- **Authentication**: every request needs a \`User-Agent\`. Reading needs no login. Log in with HTTP Basic or a Bearer token; \`access_token\` as a query or form parameter is for old clients, over HTTPS only.
- **Parameters** that are unknown are ignored, but a misspelt parameter is answered with 422 and a suggestion. A list is \`name=a,b\` or \`name[]=a&name[]=b\`. \`.json\` at the end of a URL changes nothing.
- **Coordinates** are WGS84 in degrees, points are GeoJSON (longitude first), times are ISO 8601 in UTC.
- **Areas** are selected by \`lat\`+\`lng\`+\`zoom\`, \`place_url\`, the corners of a box, or \`watcher_token\`; the first complete form applies.
- **Lists** have pages (\`page\`, and \`per_page\` of at most 100) and their exact total in \`metadata.pagination\`; follow \`next_page_url\`. If it has a \`cursor\` (issues and feeds), every page is equally fast, and changes between two requests shift no rows.
- **Conditional requests**: send \`ETag\` back as \`If-None-Match\`, and an unchanged response is an empty 304. Changes by staff need it as \`If-Match\`, or \`*\`: 412 after another change, 428 without it.
- **Safe retries**: a POST with an \`Idempotency-Key\` is executed once; for 24 hours the same request with the same key returns the first response again.
- **Bodies** are JSON. Every operation also takes \`application/x-www-form-urlencoded\` and \`multipart/form-data\` with the same fields: \`answers[summary]\` in a form is \`{"answers": {"summary": …}}\`. Files need \`multipart/form-data\`.
- **Limits**: \`RateLimit\` reports the remaining requests. 429 says in \`Retry-After\` when to retry; after ten of them a client is blocked for an hour.
- **Errors** name the parameter and its allowed values, or contain a message and a \`request_id\` for questions to us. Their texts are in English, Spanish or French by \`Accept-Language\`, as are request types that the operator has translated; names of fields and statuses stay the same.
`.trim()

const tags = [
  { name: 'Issues', description: 'Reported problems, their places and their states.' },
  { name: 'Comments', description: 'Comments on an issue.' },
  { name: 'Reporting', description: 'Request types at a point and their questions.' },
  { name: 'Users', description: 'Public profiles of residents and officials.' },
  { name: 'E-mails', description: 'Your e-mail addresses and their confirmation.' },
  { name: 'Tokens', description: 'Credentials for programs, instead of a password.' },
  { name: 'Places', description: 'Cities, counties and other areas by name.' },
  { name: 'Statistics', description: 'Numbers of an area or an organisation, for any period.' },
  { name: 'Watch areas', description: 'Your areas for mails, lists and feeds.' },
  {
    name: 'Webhooks',
    description: 'Changes of a list, sent to an address of yours: the messages are in [/docs/async.json](/docs/async.json).',
  },
  { name: 'Questions', description: 'Questions about a city.' },
  { name: 'Answers', description: 'Answers to questions and their votes.' },
  { name: 'Organisations', description: 'City departments: their areas, request types, members and numbers.' },
  { name: 'Staff', description: 'Work on issues by members of organisations. None of it is public.' },
  { name: 'Moderation', description: 'Content that is held or was flagged.' },
  {
    name: FEEDS,
    description:
      'The list of issues for feed readers and map programs: the same parameters as `GET /issues`, without account and rate limit.',
  },
  { name: EXPORTS, description: 'Whole downloads: all rows of an area as a file, without pages, for analysts and GIS programs.' },
  {
    name: OPERATIONS,
    description:
      'The state of the service, for an Admin or with `OPS_TOKEN`. These operations are outside the API, so its limits do not apply.',
  },
]

const securitySchemes = {
  basic: { type: 'http', scheme: 'basic', description: 'One of your e-mail addresses and your password.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'fixpoint_session',
    description: 'For the pages of the service only. Over HTTPS its name begins with `__Host-`.',
  },
} as const

/** Collects the OpenAPI 3.1 document from the routes. Register it before them. */
export async function describeApi(app: FastifyInstance, urls: Urls): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Fixpoint',
        version: packageJson.version,
        description,
        license: { name: 'Data: CC BY-NC-SA 3.0 US', url: 'https://creativecommons.org/licenses/by-nc-sa/3.0/us/' },
      },
      tags,
      security: [{}, { basic: [] }, { bearer: [] }, { session: [] }],
      components: { securitySchemes },
    },
    transform: ({ schema, url, route }) => ({
      schema: isDocumented(url, schema) ? describeConventions(schema ?? {}, route) : { ...schema, hide: true },
      url,
    }),
    transformObject: (document) => {
      const openapi = 'openapiObject' in document ? document.openapiObject : {}
      return describeOperations(openapi, urls)
    },
  })
}

const isDocumented = (url: string, schema: FastifySchema | undefined) =>
  url.startsWith(apiPrefix) || schema?.tags?.some((tag) => tag === OPERATIONS || tag === FEEDS || tag === EXPORTS) === true
