import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { subscribe } from 'node:diagnostics_channel'

import { apiPrefix } from '../../src/http/urls.ts'

/**
 * Plants routes under /api/v2 of every app that this file builds, among the real ones: for conventions that no operation shows
 * yet, and for faults that none should have. Fastify tells of each instance that is made, so the app needs no way in for tests.
 */
export function plant(routes: FastifyPluginAsyncTypebox): void {
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance }
    let isPlanted = false
    fastify.addHook('onRegister', (instance) => {
      if (isPlanted || instance.prefix !== apiPrefix) return
      isPlanted = true
      void instance.register(routes)
    })
  })
}
