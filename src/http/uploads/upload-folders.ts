import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { clientKey } from '../request/client-address.ts'
import { problems } from '../../errors/problems.ts'

const PREFIX = 'fixpoint-upload-'
/** Age from which a folder belongs to a killed process. Requests arrive within five minutes (app.ts). */
const LEFT_BEHIND_MS = 3_600_000
/**
 * Limits for the requests of a process that hold files on disk, at most about 100 MB each: in total and for each user or client
 * address. Logged-in and anonymous callers have separate totals.
 */
const PLACES = { known: { all: 35, each: 8 }, unknown: { all: 15, each: 4 } }

declare module 'fastify' {
  interface FastifyRequest {
    uploadFolder: Promise<string> | null
  }
}

/**
 * Gives each request with files a temporary folder, which is deleted once its answer is ready, even if the client has disconnected.
 * The next start deletes folders of a killed process.
 */
export function addUploadFolders(app: FastifyInstance): void {
  const held = new Map<FastifyRequest, Holder>()
  app.decorateRequest('uploadFolder', null)
  app.decorate('newUploadFolder', (request: FastifyRequest) => {
    const holder = holderOf(request)
    const alike = [...held.values()].filter(({ kind }) => kind === holder.kind)
    const { all, each } = PLACES[holder.kind]
    const isFull = alike.length >= all || alike.filter(({ name }) => name === holder.name).length >= each
    if (isFull) throw problems.tooManyUploads()
    held.set(request, holder)
    return mkdtemp(join(tmpdir(), PREFIX))
  })
  app.addHook('onSend', async (request) => {
    if (!request.uploadFolder) return
    held.delete(request)
    await remove(request.uploadFolder).catch((error: unknown) => request.log.warn({ err: error }, 'an upload was not removed'))
  })
  app.addHook('onReady', async () => {
    await sweepLeftBehind().catch((error: unknown) => app.log.warn({ err: error }, 'old uploads were not removed'))
  })
}

interface Holder {
  readonly kind: keyof typeof PLACES
  readonly name: string
}

const holderOf = (request: FastifyRequest): Holder =>
  request.viewer ? { kind: 'known', name: String(request.viewer.id) } : { kind: 'unknown', name: clientKey(request) }

async function remove(folder: Promise<string>): Promise<void> {
  await rm(await folder, { recursive: true, force: true })
}

/** The age decides because other processes may use the same folder. */
async function sweepLeftBehind(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX))
  for (const path of names.map((name) => join(tmpdir(), name))) {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await rm(path, { recursive: true, force: true })
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    newUploadFolder(request: FastifyRequest): Promise<string>
  }
}
