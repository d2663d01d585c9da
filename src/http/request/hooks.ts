import type { FastifyReply, FastifyRequest } from 'fastify'

/* Synchronous hooks are callbacks: a dozen promises would take five percent of the time of the shortest responses. */

type SyncHook = (request: FastifyRequest, reply: FastifyReply) => void
type Done = () => void

export const syncHook = (run: SyncHook) => (request: FastifyRequest, reply: FastifyReply, done: Done) => {
  run(request, reply)
  done()
}

export const syncPreParsingHook = (run: SyncHook) => (request: FastifyRequest, reply: FastifyReply, _body: unknown, done: Done) => {
  run(request, reply)
  done()
}

/** Resolves when the response is sent or its connection is closed. */
export const whenSent = ({ raw }: FastifyReply) =>
  new Promise<void>((resolve) => (raw.closed ? resolve() : raw.once('close', resolve)))

export const isRead = ({ method }: { readonly method?: string | undefined }) =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
