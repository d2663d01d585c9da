import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll } from 'vitest'

import { apiPrefix } from '../../src/http/request/urls.ts'

/** Adds routes under /api/v2 to every app that a test file builds, by the diagnostics channel on which Fastify publishes each instance. */
export function addTestRoutes(routes: FastifyPluginAsyncTypebox): void {
  const addRoutes = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    let isAdded = false
    fastify.addHook('onRegister', (instance) => {
      if (isAdded || instance.prefix !== apiPrefix) return
      isAdded = true
      void instance.register(routes)
    })
  }
  subscribe('fastify.initialization', addRoutes)
  afterAll(() => void unsubscribe('fastify.initialization', addRoutes))
}
