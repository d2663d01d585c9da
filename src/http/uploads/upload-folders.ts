import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { clientKey } from '../request/client-address.ts'
import { endSlowest } from '../request/transfer-speed.ts'
import { problems } from '../../errors/problems.ts'

const PREFIX = 'fixpoint-upload-'
/** Age from which a folder belongs to a killed process. Requests arrive within five minutes (app.ts). */
const STALE_MS = 3_600_000
/** Limits for requests of a process with files on disk, at most about 100 MB each. Anonymous callers have a separate total. */
const UPLOADS_MAX = { user: { total: 35, perCaller: 8 }, anonymous: { total: 15, perCaller: 4 } }

declare module 'fastify' {
  interface FastifyRequest {
    uploadFolder: Promise<string> | null
  }
}

/** Files are deleted once the response is ready, even if the client has disconnected, or at the next start after a kill. */
export function addUploadFolders(app: FastifyInstance): void {
  const activeUploads = new Map<FastifyRequest, Uploader>()
  app.decorateRequest('uploadFolder', null)
  app.decorate('createUploadFolder', (request: FastifyRequest) => {
    const uploader = toUploader(request)
    const sameKind = [...activeUploads].filter(([, { kind }]) => kind === uploader.kind)
    const { total, perCaller } = UPLOADS_MAX[uploader.kind]
    const ofCaller = sameKind.filter(([, { name }]) => name === uploader.name)
    if (ofCaller.length >= perCaller) throw problems.tooManyUploads()
    const arriving = sameKind.flatMap(([other]) => other.arrivingBody ?? [])
    if (sameKind.length >= total && !endSlowest(arriving)) throw problems.tooManyUploads()
    activeUploads.set(request, uploader)
    return mkdtemp(join(tmpdir(), PREFIX))
  })
  app.addHook('onSend', async (request) => {
    if (!request.uploadFolder) return
    activeUploads.delete(request)
    await remove(request.uploadFolder).catch((error: unknown) => request.log.warn({ err: error }, 'could not delete an upload'))
  })
  app.addHook('onReady', async () => {
    await deleteStaleFolders().catch((error: unknown) => app.log.warn({ err: error }, 'could not delete old uploads'))
  })
}

interface Uploader {
  readonly kind: keyof typeof UPLOADS_MAX
  readonly name: string
}

const toUploader = (request: FastifyRequest): Uploader =>
  request.viewer ? { kind: 'user', name: String(request.viewer.id) } : { kind: 'anonymous', name: clientKey(request) }

async function remove(folder: Promise<string>): Promise<void> {
  await rm(await folder, { recursive: true, force: true })
}

/** The age decides because other processes may use the same folder. */
async function deleteStaleFolders(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX))
  for (const path of names.map((name) => join(tmpdir(), name))) {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > STALE_MS) await rm(path, { recursive: true, force: true })
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    createUploadFolder(request: FastifyRequest): Promise<string>
  }
}
