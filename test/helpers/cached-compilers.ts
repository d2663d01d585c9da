import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

import type { SchemaCompilers } from '../../src/app.ts'
import { compileWithAjv } from '../../src/http/validation/compilers.ts'

/**
 * The compilers of the service, which in this process compile each schema once for all apps: nearly all of the half second that an app
 * takes to build is theirs.
 */
export const cachedCompilers: SchemaCompilers = {
  validator: cacheBySchema(compileWithAjv),
  serializer: cacheBySchema(SerializerSelector()({}, {}) as NonNullable<SchemaCompilers['serializer']>),
}

function cacheBySchema<Route extends { readonly schema: unknown }, Compiled>(compile: (route: Route) => Compiled) {
  const compiled = new Map<string, Compiled>()
  return (route: Route): Compiled => {
    const key = JSON.stringify(route.schema)
    const known = compiled.get(key) ?? compile(route)
    compiled.set(key, known)
    return known
  }
}
