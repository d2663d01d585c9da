import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { clientOf } from './client-address.ts'
import { problems } from './problems.ts'

const PREFIX = 'fixpoint-upload-'
/** A request has to arrive within five minutes (app.ts) and is answered soon after: what is older belongs to a process that was killed. */
const LEFT_BEHIND_MS = 3_600_000
/** Requests of a process that may have files on its disk at one moment, about 100 MB each at most. */
const AT_ONCE = 50
/** Of one person or client address, so that nobody takes all of them by sending slowly. */
const AT_ONCE_EACH = 8

declare module 'fastify' {
  interface FastifyRequest {
    /** The temporary folder of this request's files, made when the first of them comes. */
    uploadFolder: Promise<string> | null
  }
}

/**
 * Gives each request that brings files a temporary folder of its own, which is removed when its answer is ready, whether or not anybody
 * is still there to receive it. What a killed process left behind goes at the next start.
 */
export function addUploadFolders(app: FastifyInstance): void {
  const held = new Map<FastifyRequest, string>()
  app.decorateRequest('uploadFolder', null)
  app.decorate('newUploadFolder', (request: FastifyRequest) => {
    const caller = request.viewer ? `user:${request.viewer.id}` : clientOf(request.ip)
    const ofCaller = [...held.values()].filter((holder) => holder === caller).length
    if (held.size >= AT_ONCE || ofCaller >= AT_ONCE_EACH) throw problems.tooManyUploads()
    held.set(request, caller)
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

async function remove(folder: Promise<string>): Promise<void> {
  await rm(await folder, { recursive: true, force: true })
}

/** Other processes of ours may share the folder, so age decides. */
async function sweepLeftBehind(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX))
  for (const path of names.map((name) => join(tmpdir(), name))) {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await rm(path, { recursive: true, force: true })
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** @throws Problem 503 where too many requests hold files already */
    newUploadFolder(request: FastifyRequest): Promise<string>
  }
}
