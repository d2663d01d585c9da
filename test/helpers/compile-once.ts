import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Compiled = (...given: never[]) => unknown
interface Route {
  readonly schema: unknown
  readonly httpPart?: string
}

const compiled = new Map<string, Compiled>()

/**
 * Fastify's own compilers, which in this process compile each schema once for all apps: nearly all of the half second that an app
 * takes to build is theirs.
 */
export const compileOnce: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: {
    buildValidator: (shared: unknown, options: never) => {
      const compile = once('validator', shared, AjvCompiler()(shared as never, options) as never)
      return (route: Route) => {
        // Fastify writes these in small letters for compilers of its own only.
        if (route.httpPart === 'headers')
          throw new Error('A schema of headers: write its names in small letters here, as Fastify does')
        return compile(route)
      }
    },
    buildSerializer: (shared: unknown, options: never) =>
      once('serializer', shared, SerializerSelector()(shared, options) as never),
  } as never,
}

function once(kind: string, shared: unknown, compile: (route: Route) => Compiled) {
  const prefix = `${kind} ${JSON.stringify(shared)} `
  return (route: Route): Compiled => {
    const key = prefix + JSON.stringify(route.schema)
    const known = compiled.get(key) ?? compile(route)
    compiled.set(key, known)
    return known
  }
}
