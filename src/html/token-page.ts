import type { FastifyReply } from 'fastify'

/** Pages with a token in their URL are not cached and send no referrer. Their routes need `config: { hasMailToken: true }`. */
export async function preventUrlLeaks(_request: unknown, reply: FastifyReply): Promise<void> {
  void reply.headers({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })
}

/** The same for a page whose form passes the CSRF check, for which browsers send the origin of the page, but not its path or query. */
export async function preventUrlLeaksExceptOrigin(_request: unknown, reply: FastifyReply): Promise<void> {
  void reply.headers({ 'cache-control': 'private, no-store', 'referrer-policy': 'strict-origin' })
}
