import { lazyCompilers, type SchemaCompilers } from '../../src/http/validation/compilers.ts'

/** Compilers with a cache for all apps of this process. */
export const cachedCompilers: SchemaCompilers = {
  validator: cacheBySchema(lazyCompilers.validator),
  serializer: cacheBySchema(lazyCompilers.serializer),
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
