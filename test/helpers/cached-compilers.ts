import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

import type { SchemaCompilers } from '../../src/app.ts'
import { compileWithAjv } from '../../src/http/validation/compilers.ts'

/** Compilers with a cache for all apps of this process, because compiling takes most of the half second of building an app. */
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
