import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { clientOf } from '../request/client-address.ts'
import { problems } from '../../errors/problems.ts'

const PREFIX = 'fixpoint-upload-'
/** A request has to arrive within five minutes (app.ts) and is answered soon after: what is older belongs to a process that was killed. */
const LEFT_BEHIND_MS = 3_600_000
/**
 * Requests of a process that may have files on its disk at one moment, about 100 MB each at most: of all whom we know, and of all whom we
 * do not, so that no crowd of strangers takes the places of residents; and of one person or client address.
 */
const PLACES = { known: { all: 35, each: 8 }, unknown: { all: 15, each: 4 } }

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
  request.viewer ? { kind: 'known', name: String(request.viewer.id) } : { kind: 'unknown', name: clientOf(request) }

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
