import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { clientKey } from '../request/client-address.ts'
import { endSlowest } from '../request/transfer-speed.ts'
import { problems } from '../../errors/problems.ts'
import { removeStaleFolders } from '../../storage/temporary-folders.ts'

const PREFIX = 'fixpoint-upload-'
/** Age from which a folder belongs to a killed process. Requests arrive within five minutes (app.ts). */
const STALE_MS = 3_600_000
/** Slots of a process for requests with files on disk, at most about 100 MB each, and requests of one caller with and without a slot. */
const UPLOADS_MAX = { user: { slots: 35, perCaller: 8 }, anonymous: { slots: 15, perCaller: 4 } }
/** Bodies of users, and of anonymous callers, that arrive and have no slot yet. Each of them has an open file. */
const ARRIVING_MAX = 150
/** A body that arrives needs a slot from this size on: a slow one then has a known speed, and many small ones do not fill the disk. */
const WITHOUT_SLOT_BYTES_MAX = 1_000_000

declare module 'fastify' {
  interface FastifyRequest {
    uploadFolder: Promise<string> | null
  }
}

/** Files are deleted once the response is ready, even if the client has disconnected, or at the next start after a kill. */
export function addUploadFolders(app: FastifyInstance): void {
  const uploads = new Map<FastifyRequest, Uploader>()
  /** Counts the uploads that the condition selects. If they are too many, a slow one gives way. */
  const limit = (max: number, isCounted: (uploader: Uploader) => boolean) => {
    const counted = [...uploads].filter(([, uploader]) => isCounted(uploader)).map(([request]) => request)
    const arriving = counted.flatMap(({ arrivingBody }) => arrivingBody ?? [])
    if (counted.length >= max && !endSlowest(arriving)) throw problems.tooManyUploads()
  }
  app.decorateRequest('uploadFolder', null)
  app.decorate('createUploadFolder', (request: FastifyRequest) => {
    const { kind, name } = toUploader(request)
    const hasSlot = request.arrivingBody === null
    limit(UPLOADS_MAX[kind].perCaller, (other) => other.kind === kind && other.name === name)
    limit(hasSlot ? UPLOADS_MAX[kind].slots : ARRIVING_MAX, (other) => other.kind === kind && other.hasSlot === hasSlot)
    uploads.set(request, { kind, name, hasSlot })
    return mkdtemp(join(tmpdir(), PREFIX))
  })
  app.decorate('occupyUploadSlot', (request: FastifyRequest, bytes = Infinity) => {
    const uploader = uploads.get(request)
    if (!uploader || uploader.hasSlot || bytes <= WITHOUT_SLOT_BYTES_MAX) return
    limit(UPLOADS_MAX[uploader.kind].slots, (other) => other.kind === uploader.kind && other.hasSlot)
    uploads.set(request, { ...uploader, hasSlot: true })
  })
  app.addHook('onSend', async (request) => {
    if (!request.uploadFolder) return
    uploads.delete(request)
    await remove(request.uploadFolder).catch((error: unknown) => request.log.warn({ err: error }, 'could not delete an upload'))
  })
  app.addHook('onReady', async () => {
    await removeStaleFolders(new Date(Date.now() - STALE_MS), PREFIX).catch((error: unknown) =>
      app.log.warn({ err: error }, 'could not delete old uploads'),
    )
  })
}

interface Uploader {
  readonly kind: keyof typeof UPLOADS_MAX
  readonly name: string
  readonly hasSlot: boolean
}

const toUploader = (request: FastifyRequest): Pick<Uploader, 'kind' | 'name'> =>
  request.viewer ? { kind: 'user', name: String(request.viewer.id) } : { kind: 'anonymous', name: clientKey(request) }

async function remove(folder: Promise<string>): Promise<void> {
  await rm(await folder, { recursive: true, force: true })
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates the folder of a request, with a slot if its body has arrived. @throws Problem 503 if there are too many */
    createUploadFolder(request: FastifyRequest): Promise<string>
    /** Gives a request with a folder a slot once it has more bytes than may arrive without one. @throws Problem 503 if all are taken */
    occupyUploadSlot(request: FastifyRequest, bytes?: number): void
  }
}
