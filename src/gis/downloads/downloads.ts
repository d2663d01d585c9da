import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

import type { Config } from '../../config.ts'
import type { Database } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { LICENCE_URL } from '../../http/formats/licence.ts'
import { createDownloadLimits } from './download-limits.ts'
import type { SentStream } from './sending-time.ts'
import { createExportFolder, deleteExportFolder, deleteStaleExportFolders } from './export-folders.ts'
import { type FeatureTable, type SpooledFile, spoolFeatures } from './spool.ts'
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
   * Sends a whole download; the handler returns the reply afterwards. A request without body (HEAD) reads no features.
   * @param prepare returns the download; it runs once the caller may have one
   * @throws Problem 401 or 403 by `EXPORTS`, 422 for a too large file, 429 for a third download of the client, 503 for too many
   */
  send(request: FastifyRequest, reply: FastifyReply, prepare: () => Promise<Download>): Promise<void>
}

/** Adds the whole downloads of an app. Files of a killed process are deleted at the next start. */
export function addDownloads(
  app: FastifyInstance,
  { db, config }: { readonly db: Pick<Database, 'snapshot'>; readonly config: Pick<Config, 'exports'> },
): Downloads {
  const limits = createDownloadLimits()
  app.addHook('onReady', async () => {
    await deleteStaleExportFolders().catch((error: unknown) => app.log.warn({ err: error }, 'could not delete old exports'))
  })

  return {
    async send(request, reply, prepare) {
      requireAccess(config, request)
      if (request.method === 'HEAD') {
        setHeaders(request, reply, await prepare())
        void reply.send(Readable.from([]))
        return
      }
      const client = watchClient(reply)
      let release = () => {}
      let folder: string | undefined
      const end = () => {
        release()
        if (folder !== undefined)
          deleteExportFolder(folder).catch((error: unknown) => request.log.warn({ err: error }, 'could not delete an export'))
      }
      try {
        release = await limits.occupy(request)
        client.signal.throwIfAborted()
        const download = await prepare()
        const file = await limits.write(async () => {
          client.signal.throwIfAborted()
          folder = await createExportFolder()
          return spoolFeatures(db, download, { folder, signal: client.signal })
        })
        setHeaders(request, reply, download)
        sendFile(request, reply, { file, isText: download.isText, end, limitSending: limits.limitSending })
      } catch (error) {
        end()
        // The client has closed the connection, so no one reads an error.
        if (!client.signal.aborted) throw error
        void reply.hijack()
      } finally {
        client.stop()
      }
    },
  }
}

function requireAccess({ exports: access }: Pick<Config, 'exports'>, { viewer }: FastifyRequest): void {
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

function setHeaders(request: FastifyRequest, reply: FastifyReply, { contentType, filename }: Download): void {
  const isPrivate = request.viewer !== null || request.headers.authorization !== undefined || request.hasTokenParameter
  void reply.headers({
    'content-type': contentType,
    ...(filename === undefined ? {} : { 'content-disposition': `attachment; filename="${filename}"` }),
    'cache-control': isPrivate ? 'private, no-store' : 'no-store',
    vary: 'Authorization, Cookie, Accept-Encoding',
    link: `<${LICENCE_URL}>; rel="license"`,
  })
}

interface FileToSend {
  readonly file: SpooledFile
  readonly isText: boolean
  /** It is called when the file is no longer needed. */
  readonly end: () => void
  readonly limitSending: (stream: SentStream) => void
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { file, isText, end, limitSending }: FileToSend): void {
  const stream = createReadStream(file.path)
  limitSending(stream)
  stream.once('close', end)
  void reply.headers({ 'x-total-count': file.rows, 'x-export-cursor': file.cursor })
  if (isText && request.accepts().encoding(['gzip', 'identity']) === 'gzip') {
    // Fastify destroys the last stream if the client hangs up, and `pipeline` then destroys the first one.
    void reply.header('content-encoding', 'gzip').send(pipeline(stream, createGzip({ level: GZIP_LEVEL }), () => undefined))
  } else {
    void reply.header('content-length', file.bytes).send(stream)
  }
}
