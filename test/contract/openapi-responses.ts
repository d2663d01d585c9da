import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import type { buildApp } from '../../src/app.ts'
import { apiPrefix } from '../../src/http/request/urls.ts'

/* Every response in the suite is compared with the OpenAPI document: the helper `createClient` calls `checkResponse`. */

export interface SentRequest {
  readonly method: string
  /** The path with query, from the root. */
  readonly url: string
}
export interface ReceivedResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  readonly payload: string
}

interface Response {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>
}
interface Operation {
  readonly operationId: string
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, Response>>
}
export interface Reference {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

type Check = (request: SentRequest, answered: ReceivedResponse) => void

const checks = new WeakMap<object, Check>()
/** Checks by the routes of the app: making the OpenAPI document of each app would take longer than most tests. */
const checksByRoutes = new Map<string, Check>()

/** @throws Error if a response differs from the OpenAPI document */
export function checkResponse(app: Awaited<ReturnType<typeof buildApp>>, request: SentRequest, answered: ReceivedResponse): void {
  const path = request.url.split('?')[0] ?? ''
  if (request.method === 'OPTIONS' || !(isApiPath(path) || isFeed(path) || isExport(path) || isOperatorPath(path))) return
  let check = checks.get(app)
  if (!check) {
    const routes = app.printRoutes()
    check = checksByRoutes.get(routes) ?? checkAgainst(app.swagger() as unknown as Reference)
    checksByRoutes.set(routes, check)
    checks.set(app, check)
  }
  check(request, answered)
}

const isApiPath = (path: string) => path === apiPrefix || path.startsWith(`${apiPrefix}/`)
const isFeed = (path: string) => /^\/(feeds|tiles)\//.test(path)
const isExport = (path: string) => path.startsWith('/exports/')
/** Paths for programs of operators. The pages under /ops are not in the OpenAPI document. */
const isOperatorPath = (path: string) => path === '/metrics' || /^\/ops\/(health|dead|trace\/.)/.test(path)

function checkAgainst(reference: Reference): Check {
  const validators = new Map<string, ValidateFunction>()
  const find = createOperationFinder(reference)
  const validatorOf = (key: string, schema: object) => {
    const known = validators.get(key) ?? compileClosedSchema(schema, reference)
    validators.set(key, known)
    return known
  }

  return (request, answered) => {
    const { statusCode: status, headers, payload } = answered
    const fail = (why: string) => {
      throw new Error(`${request.method} ${request.url} answered ${status}, but ${why}\n${payload.slice(0, 2_000)}`)
    }
    const requiredHeaders = isApiPath(request.url)
      ? ['vary', 'cache-control', ...(status < 500 ? ['ratelimit', 'ratelimit-policy'] : [])]
      : []
    const missing = ['x-request-id', ...requiredHeaders].filter((name) => !headers[name])
    if (missing.length > 0) fail(`it lacks the headers ${missing.join(', ')}`)

    const operation = find(request)
    const response = operation ? resolveResponse(operation.responses[status], reference) : unknownPathResponse(status)
    if (!response) return fail(`that status is not documented for ${operation?.operationId ?? 'an address without operation'}`)
    if (request.method === 'HEAD' || !response.content) return payload === '' ? undefined : fail('it should have no body')

    const type = String(headers['content-type']).split(';')[0] ?? ''
    // Outside of the API, an error can be a page (src/html/problem-page.ts).
    if (!isApiPath(request.url) && status >= 400 && type === 'text/html') return
    const schema = response.content[type]?.schema
    if (!schema) return fail(`its content type ${type} is not documented`)
    // A part of a file is no whole JSON.
    if (status === 206 || (type !== 'application/json' && type !== 'application/geo+json')) return
    const { searchParams } = new URL(request.url, 'http://relative.invalid')
    const isSparse = searchParams.has('fields[issue]') || searchParams.has('fields[issue][]')
    const key = `${operation?.operationId} ${status} ${type} ${isSparse}`
    const hasSparseForm = operation?.operationId === 'listIssues' && status === 200 && type === 'application/json'
    const validate = validatorOf(key, hasSparseForm ? selectListSchema(schema, isSparse) : schema)
    if (!validate(JSON.parse(payload))) fail(`its body is not as documented: ${JSON.stringify(validate.errors?.slice(0, 5))}`)
  }
}

/** Unknown and unreadable paths have only general errors. */
function unknownPathResponse(status: number): Response | undefined {
  if (status < 400) return undefined
  const schema = { anyOf: ['Message', 'UnreadableBody'].map((name) => ({ $ref: `#/components/schemas/${name}` })) }
  return { content: { 'application/json': { schema } } }
}

/** Fixed segments win over parameters, as they do in the router. */
function createOperationFinder({ paths }: Reference): (request: SentRequest) => Operation | undefined {
  const byParameters = Object.keys(paths)
    .map((path) => ({ path, segments: path.replace(/\.json$/, '').split('/') }))
    .sort((a, b) => a.segments.filter(isParameter).length - b.segments.filter(isParameter).length)
  return ({ method, url }) => {
    const requested = (url.split('?')[0] ?? '').replace(/(\.json)?\/?$/, '').split('/')
    if (!requested.every(isDecodable) || url.length > 8_000) return undefined
    const found = byParameters.find(
      ({ segments }) =>
        segments.length === requested.length && segments.every((segment, n) => matchesSegment(segment, requested[n] ?? '')),
    )
    return found && paths[found.path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
  }
}

const isParameter = (segment: string) => segment.includes('{')

/** A parameter may have a fixed beginning or end, as in `issues.{format}` and `{y}.mvt`. */
function matchesSegment(segment: string, requested: string): boolean {
  const [beginning = '', end = ''] = segment.split(/\{\w+\}/)
  if (!isParameter(segment)) return segment === requested
  return requested.startsWith(beginning) && requested.endsWith(end) && requested.length > beginning.length + end.length
}

function isDecodable(segment: string): boolean {
  try {
    decodeURIComponent(segment)
    return true
  } catch {
    return false
  }
}

function resolveResponse(response: Response | undefined, { components }: Reference): Response | undefined {
  return response?.$ref === undefined ? response : components.responses[response.$ref.split('/').at(-1) ?? '']
}

type Components = Reference['components']

const DOCUMENT = 'openapi'
/** Compilers by components, so that each shared schema is compiled once. */
const compilers = new WeakMap<Components, Ajv2020>()

function createCompiler(components: Components): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  return ajv.addSchema(closeObjects({ $id: DOCUMENT, components: { schemas: components.schemas } }) as object)
}

/** Compiles the schema without additional properties, so that undocumented fields fail. */
export function compileClosedSchema(schema: object, { components }: Pick<Reference, 'components'>): ValidateFunction {
  const ajv = compilers.get(components) ?? createCompiler(components)
  compilers.set(components, ajv)
  return ajv.compile(closeObjects(schema) as object)
}

function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects)
  if (typeof node !== 'object' || node === null) return node
  if ('$ref' in node) return { ...node, $ref: `${DOCUMENT}${String(node.$ref)}` }
  const inner = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === 'examples' ? undefined : closeObjects(value)]),
  )
  const isOpenObject = typeof inner['properties'] === 'object' && !('additionalProperties' in inner) && 'type' in inner
  return isOpenObject ? { ...inner, additionalProperties: false } : inner
}

/** A list of issues has two schemas; the sparse one is for requests with `fields[issue]`. */
function selectListSchema(schema: { readonly anyOf?: readonly object[] }, isSparse: boolean): object {
  const [full, sparse] = schema.anyOf ?? []
  return (isSparse ? sparse : full) ?? schema
}
