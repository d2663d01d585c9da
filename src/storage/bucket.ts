import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'

import type { StorageBackend } from './file-store.ts'

const CONNECT_MAX_MS = 3_000

const RESPONSE_MAX_MS = 8_000

/** Slow receivers cause pauses as well. */
const PAUSE_MAX_MS = 15_000

/** Time for a file of 20 MB on a slow line. */
const UPLOAD_MAX_MS = 60_000

/** Slow downloads hold one socket each; the limit leaves some for other work. */
const SOCKETS_MAX = 1_000

/** The server may have just closed a kept-alive connection. */
const ATTEMPTS_MAX = 2
const PAGE = 500

/** Errors are logged where they are handled. */
const silentLogger = {
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/**
 * @param s3Url `https://KEY:SECRET@host/bucket?region=…`
 * @param responseMaxMs limit for the time to the headers of a response; tests pass less
 */
export function openBucket(s3Url: string, responseMaxMs = RESPONSE_MAX_MS): StorageBackend {
  const url = new URL(s3Url)
  const bucket = decodeURIComponent(url.pathname.slice(1))
  const client = new S3Client({
    endpoint: url.origin,
    region: url.searchParams.get('region') ?? 'us-east-1',
    credentials: { accessKeyId: decodeURIComponent(url.username), secretAccessKey: decodeURIComponent(url.password) },
    // Self-hosted services rarely have a host name for each bucket.
    forcePathStyle: true,
    // Many S3-compatible servers refuse the trailing checksums that the client sends by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: ATTEMPTS_MAX,
    logger: silentLogger,
    requestHandler: {
      connectionTimeout: CONNECT_MAX_MS,
      socketTimeout: Math.min(PAUSE_MAX_MS, 2 * responseMaxMs),
      requestTimeout: UPLOAD_MAX_MS,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: SOCKETS_MAX },
      httpsAgent: { maxSockets: SOCKETS_MAX },
    },
  })
  const responseLimit = { requestTimeout: responseMaxMs }

  return {
    async put(key, path, contentType) {
      // The client streams a body of known length and buffers any other.
      const { size: contentLength } = await stat(path)
      const once = async () => {
        // A stream that opens the file itself would emit the error after `destroy`, when nothing listens.
        const contents = (await open(path)).createReadStream()
        try {
          await client.send(
            new PutObjectCommand({
              Bucket: bucket,
              Key: key,
              Body: contents,
              ContentType: contentType,
              ContentLength: contentLength,
            }),
          )
        } finally {
          contents.destroy()
        }
      }
      // The client cannot replay a stream, so the second attempt opens the file again.
      await once().catch(once)
    },
    async open(key, part) {
      const range = part && `bytes=${part.start}-${part.end}`
      const found = await client
        .send(new GetObjectCommand({ Bucket: bucket, Key: key, Range: range }), responseLimit)
        .catch(undefinedIfMissing)
      if (!found) return undefined
      const { Body, ContentLength } = found
      if (!(Body instanceof Readable) || ContentLength === undefined) throw new Error('the answer has no body or no length')
      if (part && ContentLength !== part.end - part.start + 1) {
        Body.destroy()
        throw new Error('the response is not the requested part')
      }
      return { stream: Body, bytes: ContentLength }
    },
    async size(key) {
      const found = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), responseLimit).catch(undefinedIfMissing)
      return found?.ContentLength
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
    },
    async listPage(Prefix, ContinuationToken) {
      const listed = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix, ContinuationToken, MaxKeys: PAGE }),
        responseLimit,
      )
      const files = (listed.Contents ?? []).flatMap(({ Key, LastModified }) =>
        Key !== undefined && LastModified ? [{ key: Key, modifiedAt: LastModified }] : [],
      )
      return { files, nextPage: listed.NextContinuationToken }
    },
  }
}

/** A missing bucket is a wrong configuration and must not answer 404. */
function undefinedIfMissing(error: unknown): undefined {
  const isFileMissing =
    error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404 && error.name !== 'NoSuchBucket'
  if (!isFileMissing) throw error
}
