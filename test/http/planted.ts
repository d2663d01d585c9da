import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll } from 'vitest'

import { apiPrefix } from '../../src/http/request/urls.ts'

/**
 * Plants routes under /api/v2 of every app that this file builds, among the real ones: for conventions that no operation shows
 * yet, and for faults that none should have. Fastify tells of each instance that is made, so the app needs no way in for tests.
 * The apps of the next file are without them.
 */
export function plant(routes: FastifyPluginAsyncTypebox): void {
  const plantIn = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    let isPlanted = false
    fastify.addHook('onRegister', (instance) => {
      if (isPlanted || instance.prefix !== apiPrefix) return
      isPlanted = true
      void instance.register(routes)
    })
  }
  subscribe('fastify.initialization', plantIn)
  afterAll(() => void unsubscribe('fastify.initialization', plantIn))
}
