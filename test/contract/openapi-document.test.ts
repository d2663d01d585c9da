import { Validator } from '@seriousme/openapi-schema-validator'
import { createHash } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { beforeAll, describe, expect, it } from 'vitest'

import { apiPrefix } from '../../src/http/request/urls.ts'
import { useApp } from '../helpers/use-app.ts'
import { compileClosedSchema, type Reference } from './openapi-responses.ts'

interface Media {
  readonly schema: object
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}
interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly example?: unknown
  readonly schema: { readonly examples?: readonly unknown[] }
}
interface Response {
  readonly description?: string
  readonly content?: Readonly<Record<string, Media>>
}
interface Operation {
  readonly path: string
  readonly method: string
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: Response
  readonly responses: Readonly<Record<string, Response>>
}
interface Document extends Reference {
  readonly servers: unknown
  readonly tags: readonly { name: string }[]
  readonly components: Reference['components'] & { readonly parameters: Readonly<Record<string, Parameter>> }
}

const routes: RouteOptions[] = []
// Fastify publishes every new instance, so the app needs no hook for tests.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', (route) => void routes.push(route))
})

const app = useApp({ keepRows: true, ownApp: true })
let document: Document
let operations: Operation[]

beforeAll(async () => {
  document = (await app.as.anonymous.send('GET', '/docs/json')).body as Document
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, shown]) => {
      const operation = shown as unknown as Operation
      return { ...operation, parameters: operation.parameters.map(resolveParameter), path, method }
    }),
  )
})

const resolveParameter = (parameter: Parameter) =>
  (parameter.$ref === undefined ? undefined : document.components.parameters[parameter.$ref.split('/').at(-1) ?? '']) ?? parameter

/** Returns the operations for which `has` is false, so that a failing test names them. */
const operationsWithout = (has: (operation: Operation) => boolean) =>
  operations.filter((operation) => !has(operation)).map(({ method, path }) => `${method} ${path}`)

const isApiOperation = ({ path }: Operation) => path.startsWith(apiPrefix)
const isFeed = ({ path }: Operation) => /^\/(feeds|tiles)\//.test(path)
const takesInput = ({ parameters, requestBody }: Operation) =>
  parameters.some((one) => one.in === 'query') || requestBody !== undefined
const hasStatuses =
  (...statuses: number[]) =>
  (operation: Operation) =>
    statuses.every((status) => String(status) in operation.responses)

describe('OpenAPI document', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator()

    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)) as Record<string, unknown>)

    expect({ valid, errors, version: validator.version }).toEqual({ valid: true, errors: undefined, version: '3.1' })
  })

  // `-u` updates the hash. To see what has changed, compare /docs/json with that of the main branch.
  it('changes only on purpose', () => {
    expect(createHash('sha256').update(JSON.stringify(document)).digest('hex')).toMatchInlineSnapshot(
      `"2c46c066a275672e48c43a26c404348156b548a6f1ae4465ace93d17d2373e30"`,
    )
  })

  it('lists all routes of the API, feeds, downloads and operators, and the URL of the server', () => {
    const formOfPage = 'post /ops/dead-letters/{event_id}/{handler}'
    const registered = routes
      .filter(
        ({ url }) =>
          url.startsWith(apiPrefix) || /^\/(feeds\/.+|exports\/.+|tiles\/.+|metrics|ops\/(health|dead.*|trace\/.+))$/.test(url),
      )
      .flatMap(({ method, url }) => [method].flat().map((one) => `${one.toLowerCase()} ${url.replace(/:(\w+)/g, '{$1}')}`))
      .filter((route) => !/^(head|options) /.test(route) && !/(\/\*|v2\/?)$/.test(route) && route !== formOfPage)

    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...new Set(registered)].sort())
    expect(document.servers).toEqual([{ url: 'http://fixpoint.test' }])
  })
})

describe('operations of the OpenAPI document', () => {
  it('have a unique id, a summary, a description and one tag', () => {
    const names = operations.map(({ operationId }) => operationId)
    const tags = document.tags.map(({ name }) => name)

    expect(names.filter((name, n) => name === undefined || names.indexOf(name) !== n)).toEqual([])
    expect(operationsWithout(({ summary }) => /^[A-Z]\w+ .+[^.]$/.test(summary ?? ''))).toEqual([])
    expect(operationsWithout(({ description }) => /^[A-Z`].+\.$/s.test(description ?? ''))).toEqual([])
    expect(operationsWithout((operation) => operation.tags?.length === 1 && tags.includes(operation.tags[0] ?? ''))).toEqual([])
  })

  it('describe every parameter with a valid example', () => {
    const poor = operations.flatMap(({ method, path, parameters }) =>
      parameters
        .filter(
          ({ description, example, schema }) =>
            !/^[^u].+ For example `.+`\.$/.test(description ?? '') ||
            !compileClosedSchema(schema, document)(example ?? schema.examples?.[0]),
        )
        .map(({ name }) => `${method} ${path} ${name}`),
    )

    expect(poor).toEqual([])
  })

  it('have the header If-Match where its absence is 428', () => {
    const versioned = operations.filter(hasStatuses(428))
    const lacking = versioned.filter(
      ({ parameters }) => !parameters.some(({ name, in: place }) => name === 'If-Match' && place === 'header'),
    )

    expect(versioned.length).toBeGreaterThan(5)
    expect(lacking.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  })

  it('list all of their error statuses', () => {
    const has = (...statuses: number[]) => operationsWithout(hasStatuses(...statuses))

    expect(has(500, 503)).toEqual([])
    expect(has(401, 403, 429)).toEqual([])
    expect(operationsWithout((operation) => !takesInput(operation) || hasStatuses(422)(operation))).toEqual([])
    expect(operationsWithout((operation) => !operation.path.includes('{') || hasStatuses(404)(operation))).toEqual([])
    expect(operationsWithout((operation) => operation.requestBody === undefined || hasStatuses(400, 413, 415)(operation))).toEqual(
      [],
    )
    expect(
      operationsWithout(
        (operation) =>
          operation.method !== 'get' || !(isApiOperation(operation) || isFeed(operation)) || hasStatuses(304)(operation),
      ),
    ).toEqual([])
  })

  it('have a success response whose example matches its schema', () => {
    const successes = ({ responses }: Operation) => Object.entries(responses).filter(([status]) => /^20[0-3]$/.test(status))

    expect(operationsWithout((operation) => successes(operation).length > 0 || '204' in operation.responses)).toEqual([])
    expect(operationsWithout((operation) => successes(operation).every(([, response]) => examplesMatchSchema(response)))).toEqual(
      [],
    )
  })

  it('have a request body whose example matches its schema', () => {
    expect(operationsWithout(({ requestBody }) => requestBody === undefined || examplesMatchSchema(requestBody))).toEqual([])
  })

  it('share error responses whose examples match their schemas', () => {
    const responses = Object.entries(document.components.responses) as [string, Response][]

    expect(responses.filter(([, response]) => !examplesMatchSchema(response)).map(([name]) => name)).toEqual([])
  })
})

function examplesMatchSchema({ content = {} }: Response): boolean {
  return Object.values(content).every(({ schema, example, examples = { one: { value: example } } }) => {
    const validate = compileClosedSchema(schema, document)
    return Object.values(examples).every(({ value }) => value !== undefined && validate(value))
  })
}
