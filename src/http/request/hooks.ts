import type { FastifyReply, FastifyRequest } from 'fastify'

/*
 * Hooks that never wait, as Fastify's callbacks: a promise for each of a dozen of them is a twentieth of what the shortest answers take. What they throw is
 * answered just as a rejected promise would be.
 */

type Look = (request: FastifyRequest, reply: FastifyReply) => void
type Done = () => void

/** For onRequest, preValidation, preHandler and onResponse. */
export const withoutWaiting = (look: Look) => (request: FastifyRequest, reply: FastifyReply, done: Done) => {
  look(request, reply)
  done()
}

/** For preParsing, which leaves the body as it comes. */
export const beforeParsing = (look: Look) => (request: FastifyRequest, reply: FastifyReply, _body: unknown, done: Done) => {
  look(request, reply)
  done()
}
