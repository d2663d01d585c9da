import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'

import type { Shelf } from './file-store.ts'

const CONNECTING_MAX_MS = 3_000

/** From a request to the head of its answer: a server that has said nothing by then is away. */
const SILENCE_MAX_MS = 8_000

/** While a file is on its way: whoever receives it may pause, too. */
const PAUSE_MAX_MS = 15_000

/** To keep a file of 20 MB, on a slow line. */
const KEEPING_MAX_MS = 60_000

/** Slow receivers hold one each; keeping and removing must not wait for them. */
const SOCKETS_MAX = 1_000

/** The second try is for a kept connection that the server has closed in this very moment, and for one failure in passing. */
const TRIES = 2
const PAGE = 500

/** What goes wrong comes with the error, and is logged where that is answered; the client would write to the console besides. */
const silent = {
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/**
 * Files in a bucket of an S3-compatible service.
 * @param s3Url `https://KEY:SECRET@host/bucket?region=…`
 * @param silenceMaxMs tests wait for less
 */
export function bucketAt(s3Url: string, silenceMaxMs = SILENCE_MAX_MS): Shelf {
  const url = new URL(s3Url)
  const bucket = decodeURIComponent(url.pathname.slice(1))
  const client = new S3Client({
    endpoint: url.origin,
    region: url.searchParams.get('region') ?? 'us-east-1',
    credentials: { accessKeyId: decodeURIComponent(url.username), secretAccessKey: decodeURIComponent(url.password) },
    // The bucket stands in the path: a service of one's own rarely has a name for each bucket.
    forcePathStyle: true,
    // Checksums behind the body are new, and what many other servers than Amazon's refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: TRIES,
    logger: silent,
    requestHandler: {
      connectionTimeout: CONNECTING_MAX_MS,
      socketTimeout: Math.min(PAUSE_MAX_MS, 2 * silenceMaxMs),
      requestTimeout: KEEPING_MAX_MS,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: SOCKETS_MAX },
      httpsAgent: { maxSockets: SOCKETS_MAX },
    },
  })
  const soon = { requestTimeout: silenceMaxMs }

  return {
    async put(key, path, contentType) {
      // With a known length it is sent as it is read; without, it would be gathered first.
      const { size: contentLength } = await stat(path)
      const once = async () => {
        const contents = createReadStream(path)
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
      // The client cannot read a stream twice, so the second try is ours.
      await once().catch(once)
    },
    async open(key, part) {
      const range = part && `bytes=${part.start}-${part.end}`
      const found = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range: range }), soon).catch(missing)
      if (!found) return undefined
      const { Body, ContentLength } = found
      if (!(Body instanceof Readable) || ContentLength === undefined) throw new Error('the answer has no body or no length')
      if (part && ContentLength !== part.end - part.start + 1) {
        Body.destroy()
        throw new Error('the answer is not the part that was asked for')
      }
      return { stream: Body, bytes: ContentLength }
    },
    async size(key) {
      const found = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), soon).catch(missing)
      return found?.ContentLength
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
    },
    async listPage(Prefix, ContinuationToken) {
      const listed = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix, ContinuationToken, MaxKeys: PAGE }), soon)
      const files = (listed.Contents ?? []).flatMap(({ Key, LastModified }) =>
        Key !== undefined && LastModified ? [{ key: Key, modifiedAt: LastModified }] : [],
      )
      return { files, nextPage: listed.NextContinuationToken }
    },
  }
}

/** A missing bucket is no missing file: whoever asks must not be told that the picture is gone. */
function missing(error: unknown): undefined {
  const isFileMissing =
    error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404 && error.name !== 'NoSuchBucket'
  if (!isFileMissing) throw error
}
