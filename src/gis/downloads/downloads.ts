import fresh from 'fresh'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { open, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Config } from '../../config.ts'
import type { Database } from '../../database/database.ts'
import { isDiskFull } from '../../errors/resource-exhaustion.ts'
import { problems } from '../../errors/problems.ts'
import { isPrivate } from '../../http/caching/conditional.ts'
import { creditLinks } from '../../http/formats/feature-collection.ts'
import { readByteRange } from '../../http/request/byte-range.ts'
import type { Urls } from '../../http/request/urls.ts'
import { CHANGES_CURSOR } from '../../issue-lifecycle/changes-cursor.ts'
import { clientKey } from '../../http/request/client-address.ts'
import { limitConcurrencyByKey } from '../../http/request/request-limit.ts'
import { createDownloadLimits } from './download-limits.ts'
import type { SentStream } from './sending-time.ts'
import { type CachedFile, createFileCache, type Reading } from './file-cache.ts'
import { type FeatureTable, spoolFeatures } from './spool.ts'
import type { OpenWriter } from './writer.ts'

/** Higher levels save a tenth of the bytes and take three times as long. */
const GZIP_LEVEL = 1

export interface Download {
  /** It is undefined for a file that programs open by its address. */
  readonly filename?: string
  readonly contentType: string
  readonly isText: boolean
  readonly table: FeatureTable
  readonly openWriter: OpenWriter
}

export interface Downloads {
  /**
   * Sends a whole download or a part of it (RFC 9110, 14), or 304 if it is unchanged; the handler returns the reply afterwards. HEAD and parts read a file that is kept.
   * @param prepare returns the download; it runs once the caller may have one
   * @throws Problem 401 or 403 by `EXPORTS`, 412 by `If-Match`, 416 for a wrong range, 422 for a too large file, 429 for a third download of the client, 503 for too many
   */
  send(request: FastifyRequest, reply: FastifyReply, prepare: () => Promise<Download>): Promise<void>
}

/** Adds the whole downloads of an app. Files of a killed process are deleted at the next start. */
export function addDownloads(
  app: FastifyInstance,
  {
    db,
    config,
    urls,
  }: {
    readonly db: Pick<Database, 'snapshot'>
    readonly config: Pick<Config, 'exports' | 'databasePools'>
    readonly urls: Urls
  },
): Downloads {
  const limits = createDownloadLimits(config.databasePools.export)
  /** Requests for the same file, or parts of it, wait while one of them writes it. */
  const limitView = limitConcurrencyByKey({ concurrency: 1, queueMax: 100, waitMaxMs: 60_000 })
  const files = createFileCache((folder) =>
    deleteExportFolder(folder).catch((error: unknown) => app.log.warn({ err: error }, 'could not delete an export')),
  )
  app.addHook('onReady', async () => {
    await deleteStaleExportFolders().catch((error: unknown) => app.log.warn({ err: error }, 'could not delete old exports'))
  })
  app.addHook('onClose', () => files.clear())

  async function write(reading: Reading, download: Download, signal: AbortSignal): Promise<CachedFile> {
    const startedAt = performance.now()
    const folder = await createExportFolder()
    try {
      return files.add(reading, { ...(await spoolFeatures(db, download, { folder, signal })), folder, startedAt })
    } catch (error) {
      await deleteExportFolder(folder)
      if (isDiskFull(error)) await files.clear()
      throw error
    }
  }

  return {
    async send(request, reply, prepare) {
      requireAccess(config, request)
      const client = watchClient(reply)
      const arrivedAt = performance.now()
      let release = () => {}
      try {
        release = await limits.occupy(request)
        client.signal.throwIfAborted()
        const download = await prepare()
        const { viewer, url } = request
        const caller = viewer && [viewer.id, viewer.isAdmin, viewer.memberships]
        const reading = { view: JSON.stringify([caller, url]), client: clientKey(request) }
        const writeFile = () =>
          limits.write(reading.client, () => {
            client.signal.throwIfAborted()
            return write(reading, download, client.signal)
          })
        const wanted = maySendKeptFile(request) ? { etag: requiredEtag(request) } : { startedAfter: arrivedAt }
        const file = await limitView(reading.view)(async () => files.find(reading, wanted) ?? (await writeFile()))
        await sendFile(request, reply, { download, file, link: creditLinks(urls), release, limitSending: limits.limitSending })
      } catch (error) {
        release()
        // The client has closed the connection, so no one reads an error.
        if (!client.signal.aborted) throw error
        void reply.hijack()
      } finally {
        client.stop()
      }
    },
  }
}

/** HEAD and parts read a kept file. `If-None-Match` asks whether the rows have changed, which only a new file shows. */
const maySendKeptFile = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'HEAD' || headers.range !== undefined) && headers['if-none-match'] === undefined

/** @throws Problem 412 by `If-Match` (RFC 9110, 13.1.1), which takes no weak ETag */
function requireMatch({ headers }: FastifyRequest, etag: string): void {
  const ifMatch = headers['if-match']
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  if (!ifMatch.split(',').some((one) => one.trim() === etag)) throw problems.preconditionFailed()
}

function requiredEtag({ headers }: FastifyRequest): string | undefined {
  const { 'if-match': ifMatch, 'if-range': ifRange } = headers
  return ifMatch === undefined || ifMatch === '*' ? ifRange?.toString() : ifMatch
}

function requireAccess({ exports: access }: Pick<Config, 'exports' | 'databasePools'>, { viewer }: FastifyRequest): void {
  if (access === 'off') throw problems.exportsOff()
  if (access === 'token' && !viewer) throw problems.loginNeeded()
}

/** The signal is aborted when the client closes the connection before `stop` is called. */
function watchClient({ raw }: FastifyReply): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController()
  const abort = () => controller.abort()
  raw.once('close', abort)
  return { signal: controller.signal, stop: () => raw.off('close', abort) }
}

function setHeaders(request: FastifyRequest, reply: FastifyReply, { contentType, filename }: Download, link: string): void {
  void reply.headers({
    'content-type': contentType,
    ...(filename === undefined ? {} : { 'content-disposition': `attachment; filename="${filename}"` }),
    'cache-control': isPrivate(request) ? 'private, no-store' : 'no-store',
    vary: 'Authorization, Cookie, Accept-Encoding',
    link,
  })
}

interface FileToSend {
  readonly download: Download
  readonly file: CachedFile
  /** The value of the header Link. */
  readonly link: string
  /** It is called when the file is no longer read. */
  readonly release: () => void
  readonly limitSending: (stream: SentStream, file: CachedFile) => void
}

/** HEAD describes the file without compression, as parts of it are sent. */
async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { download, file, link, release, limitSending }: FileToSend,
): Promise<void> {
  const { path, bytes, etag } = file
  requireMatch(request, etag)
  const isUnchanged = fresh(request.headers, { etag })
  const part = isUnchanged ? undefined : readByteRange(request, file)
  const isHead = request.method === 'HEAD'
  const isCompressed = download.isText && !part && !isHead && request.accepts().encoding(['gzip', 'identity']) === 'gzip'
  const validator = isCompressed ? `W/${etag}` : etag
  // The file is opened before the response begins, because it may be deleted while it is sent.
  const opened = isHead || isUnchanged ? undefined : await open(path).catch(unavailableIfDeleted)
  const stream = opened?.createReadStream(part ?? {})
  if (stream) limitSending(stream, file)
  setHeaders(request, reply, download, link)
  void reply.headers({ 'x-total-count': file.rows, [CHANGES_CURSOR]: file.cursor })
  if (isUnchanged) {
    release()
    void reply.code(304).removeHeader('content-type').header('etag', validator).send()
    return
  }
  if (!stream) {
    release()
    void reply.headers({ etag, 'accept-ranges': 'bytes', 'content-length': bytes }).send(Readable.from([]))
    return
  }
  stream.once('close', release)
  if (isCompressed) {
    // Fastify destroys the last stream if the client hangs up, and `pipeline` then destroys the first one.
    const compressed = pipeline(stream, createGzip({ level: GZIP_LEVEL }), () => undefined)
    void reply.headers({ etag: validator, 'content-encoding': 'gzip' }).send(compressed)
    return
  }
  const range = part && { 'content-range': `bytes ${part.start}-${part.end}/${bytes}` }
  const length = part ? part.end - part.start + 1 : bytes
  void reply.code(part ? 206 : 200).headers({ ...range, etag, 'accept-ranges': 'bytes', 'content-length': length })
  void reply.send(stream)
}

function unavailableIfDeleted(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENOENT' ? problems.unavailable() : error
}

const PREFIX = 'fixpoint-export-'
/** A restarted container often has the same process id, so the name also has the start time. */
const processName = `${process.pid}-${Math.round(performance.timeOrigin).toString(36)}`
/** Age from which a folder is deleted even if another process with this id is alive. */
const STALE_MS = 86_400_000

export const createExportFolder = (): Promise<string> => mkdtemp(join(tmpdir(), `${PREFIX}${processName}-`))

const deleteExportFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })

/** Deletes the folders of processes that were killed. Other processes may use the same temporary folder. */
async function deleteStaleExportFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, owner = '', pid] = new RegExp(`^${PREFIX}((\\d+)-[\\da-z]+)-`).exec(name) ?? []
    if (pid === undefined || owner === processName) continue
    const path = join(tmpdir(), name)
    if ((await isOld(path)) || Number(pid) === process.pid || !isAlive(Number(pid))) await deleteExportFolder(path)
  }
}

async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
  return Date.now() - mtimeMs > STALE_MS
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
