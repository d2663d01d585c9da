import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

import { isSignedWith } from './signature.ts'

interface StoredObject {
  readonly bytes: Buffer
  readonly contentType: string | undefined
  readonly modifiedAt: Date
}

export type FailingHandler = (request: IncomingMessage, response: ServerResponse) => void

const PAGE_MAX = 1_000

/** Starts an S3 server in memory that checks signatures. Those on npm cannot page on this Node, or refuse the signature of a list. */
export async function startBucket() {
  const objects = new Map<string, StoredObject>()
  const requests: { method: string; url: string; headers: IncomingHttpHeaders }[] = []
  const state: { handler: FailingHandler | undefined } = { handler: undefined }
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    requests.push({ method, url, headers })
    if (state.handler) state.handler(request, response)
    else void answer(objects, request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  onTestFinished(close)
  const urlOf = (secret: string, bucket: string) => `http://KEY:${encodeURIComponent(secret)}@127.0.0.1:${port}/${bucket}`
  return {
    url: urlOf(SECRET, 'pictures'),
    urlOf,
    objects,
    requests,
    close,
    /** Answers all requests by `handler` until it is undefined again. */
    failWith(handler?: FailingHandler) {
      state.handler = handler
    },
  }
}

/** The secret has characters that a URL must encode. */
const SECRET = 'a/s+e=c%r@e:t'

async function answer(objects: Map<string, StoredObject>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://any')
  const [, bucket, key] = /^\/([^/]+)\/(.*)$/.exec(decodeURIComponent(pathname)) ?? []
  if (!isSignedWith(SECRET, request)) return refuse(response, 403, 'SignatureDoesNotMatch')
  if (bucket !== 'pictures') return refuse(response, 404, 'NoSuchBucket')
  if (key === '') return list(objects, searchParams, response)
  switch (`${request.method}`) {
    case 'PUT': {
      const bytes = await buffer(request)
      if (String(bytes.length) !== request.headers['content-length']) return refuse(response, 411, 'MissingContentLength')
      objects.set(key ?? '', { bytes, contentType: request.headers['content-type'], modifiedAt: new Date() })
      response.end()
      return
    }
    case 'DELETE':
      objects.delete(key ?? '')
      response.writeHead(204).end()
      return
    default:
      give(objects.get(key ?? ''), request, response)
  }
}

function give(object: StoredObject | undefined, { method, headers }: IncomingMessage, response: ServerResponse): void {
  if (!object) return refuse(response, 404, 'NoSuchKey')
  const [, start = '0', end = String(object.bytes.length - 1)] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  const part = object.bytes.subarray(Number(start), Number(end) + 1)
  response.writeHead(headers.range === undefined ? 200 : 206, {
    'content-length': part.length,
    'content-type': object.contentType,
    'content-range': `bytes ${start}-${end}/${object.bytes.length}`,
    'last-modified': object.modifiedAt.toUTCString(),
  })
  response.end(method === 'HEAD' ? undefined : part)
}

/** Lists keys in order, after the token, which is the last key of the previous page. */
function list(objects: Map<string, StoredObject>, parameters: URLSearchParams, response: ServerResponse): void {
  const [prefix, after] = [parameters.get('prefix') ?? '', parameters.get('continuation-token') ?? '']
  const all = [...objects].filter(([key]) => key.startsWith(prefix) && key > after).sort(([a], [b]) => (a < b ? -1 : 1))
  const page = all.slice(0, Math.min(PAGE_MAX, Number(parameters.get('max-keys') ?? PAGE_MAX)))
  const contents = page.map(
    ([key, { modifiedAt, bytes }]) =>
      `<Contents><Key>${key}</Key><LastModified>${modifiedAt.toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`,
  )
  const next = page.length < all.length ? `<NextContinuationToken>${page.at(-1)?.[0]}</NextContinuationToken>` : ''
  response.writeHead(200, { 'content-type': 'application/xml' })
  response.end(`<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`)
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`)
}
