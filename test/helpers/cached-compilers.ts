import { lazyCompilers, type SchemaCompilers } from '../../src/http/validation/compilers.ts'

/** Compilers with a cache for all apps of this process. */
export const cachedCompilers: SchemaCompilers = {
  validator: cacheBySchema(lazyCompilers.validator),
  serializer: cacheBySchema(lazyCompilers.serializer),
}

function cacheBySchema<Route extends { readonly schema: unknown }, Compiled>(compile: (route: Route) => Compiled) {
  const byObject = new WeakMap<object, Compiled>()
  const byText = new Map<string, Compiled>()
  return (route: Route): Compiled => {
    const schema = route.schema as object
    let compiled = byObject.get(schema)
    if (compiled === undefined) {
      // Some routes create their schema for each app.
      const text = JSON.stringify(schema)
      compiled = byText.get(text) ?? compile(route)
      byText.set(text, compiled)
      byObject.set(schema, compiled)
    }
    return compiled
  }
}
