import type { FastifyReply } from 'fastify'

/**
 * For `onSend` of a page whose address holds a token, as the link of a mail does: it is kept nowhere, and no other page learns of it. A form
 * on it says nothing of where it comes from either, so its route has `config: { bringsToken: true }`.
 */
export async function preventUrlLeaks(_request: unknown, reply: FastifyReply): Promise<void> {
  void reply.headers({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })
}
