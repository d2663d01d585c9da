import type { FastifyReply } from 'fastify'

/** Pages with a token in their URL are not cached and send no referrer. Their routes need `config: { hasMailToken: true }`. */
export async function preventUrlLeaks(_request: unknown, reply: FastifyReply): Promise<void> {
  void reply.headers({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })
}
