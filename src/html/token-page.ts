import type { FastifyReply } from 'fastify'

/**
 * For `onSend` of pages with a token in their URL: they are not cached and send no referrer. Their forms have no origin either,
 * so the routes need `config: { hasMailToken: true }`.
 */
export async function preventUrlLeaks(_request: unknown, reply: FastifyReply): Promise<void> {
  void reply.headers({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })
}
