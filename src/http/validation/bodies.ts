import type { FastifyInstance, FastifyRequest } from 'fastify'

import { problems } from '../../errors/problems.ts'
import { text } from '../../locales/texts.ts'
import { syncPreParsingHook, syncHook } from '../request/hooks.ts'
import { decodeUtf8, readBodyText } from '../request/slow-body-timeout.ts'

export const FIELDS_MAX = 1_000
const FIELD_DEPTH_MAX = 5
const NAME = /^[^[\]]+(\[[^[\]]+\])*(\[\])?$/
/** Keys that could pollute prototypes. They are ignored as in JSON. */
const IGNORED_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

type Group = Record<string, unknown>

/**
 * Reads `answers[summary]=x` as a property of an object, `answers[12][]=x` as an item of a list; a number is a key and no index.
 * @throws Problem 400 for too many fields, or a name that is both a value and a group
 */
export function nestFields(fields: Iterable<readonly [string, unknown]>): Group {
  const root: Group = {}
  let count = 0
  for (const [name, value] of fields) {
    if (++count > FIELDS_MAX) throw problems.unreadableBody(text('form_too_many_fields', { max: FIELDS_MAX }))
    const keys = parseKeys(name)
    if (keys.some((key) => IGNORED_KEYS.has(key))) continue
    const isList = keys.at(-1) === ''
    const path = isList ? keys.slice(0, -1) : keys
    setField(groupAt(root, path.slice(0, -1), name), path.at(-1) ?? '', value, { isList, name })
  }
  return root
}

function parseKeys(name: string): string[] {
  if (!NAME.test(name)) return [name]
  const keys = name.replaceAll(']', '').split('[')
  return keys.length > FIELD_DEPTH_MAX ? [name] : keys
}

const groups = new WeakSet<object>()
const isGroup = (value: unknown): value is Group => typeof value === 'object' && value !== null && groups.has(value)

function groupAt(root: Group, path: readonly string[], name: string): Group {
  return path.reduce<Group>((group, key) => {
    const inner = Object.hasOwn(group, key) ? group[key] : (group[key] = newGroup())
    return isGroup(inner) ? inner : refuseReusedName(name)
  }, root)
}

function newGroup(): Group {
  const group: Group = {}
  groups.add(group)
  return group
}

function setField(group: Group, key: string, value: unknown, { isList, name }: { isList: boolean; name: string }): void {
  const current = Object.hasOwn(group, key) ? group[key] : undefined
  if (isGroup(current)) refuseReusedName(name)
  if (current === undefined) group[key] = isList ? [value] : value
  else group[key] = [...(Array.isArray(current) ? (current as unknown[]) : [current]), value]
}

function refuseReusedName(name: string): never {
  throw problems.unreadableBody(text('form_name_used_twice', { name }))
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set it on a route that treats a missing body as an empty object. */
    bodyIsOptional?: true
  }
}

export function addBodyParsers(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('application/x-www-form-urlencoded', async (request: FastifyRequest) =>
    nestFields(new URLSearchParams(requireUtf8(await readBodyText(request)))),
  )
  acceptEmptyBodies(app)
}

/** Many clients send a content type without a body. The hook removes it, because Fastify would refuse an unknown type. */
function acceptEmptyBodies(app: FastifyInstance): void {
  app.addHook(
    'preParsing',
    syncPreParsingHook((request) => {
      const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
      if (acceptsEmptyBody(request) && length === '0' && encoding === undefined) delete request.headers['content-type']
    }),
  )
  // A chunked body is known to be empty only after it is read.
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const bodyText = await readBodyText(request)
    if (bodyText === '' && acceptsEmptyBody(request)) return undefined
    const body = await parseJson(request, bodyText)
    if (body !== null) return body
    // Fastify passes null to validators for a missing body; false makes a JSON null invalid.
    return acceptsEmptyBody(request) ? undefined : false
  })
}

/** Drops `__proto__` and `constructor.prototype`. @throws an error of Fastify for invalid JSON */
export function parseJson(request: FastifyRequest, json: string): Promise<unknown> {
  const parse = request.server.getDefaultJsonParser('remove', 'remove')
  return new Promise((resolve, reject) => {
    void parse(request, json, (error, value) => (error ? reject(error) : resolve(value)))
  })
}

/** Returns the form. @throws Problem 400 if its percent-encoding is not that of UTF-8 */
function requireUtf8(form: string): string {
  const bytes = Buffer.from(form).toString('latin1')
  const decoded = bytes.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  decodeUtf8(Buffer.from(decoded, 'latin1'))
  return form
}

const acceptsEmptyBody = ({ is404, routeOptions }: FastifyRequest) =>
  !is404 && (routeOptions.schema?.body === undefined || routeOptions.config.bodyIsOptional === true)

/** Limit for the nesting of a body. GeoJSON areas need six levels. */
const DEPTH_MAX = 32

/** Refuses deeply nested bodies, which would overflow the stack of recursive functions. */
export function refuseDeepBodies(app: FastifyInstance): void {
  app.addHook(
    'preValidation',
    syncHook(({ body }) => {
      let level = nestedObjects([body])
      for (let depth = 0; level.length > 0; depth++) {
        if (depth > DEPTH_MAX) throw problems.unreadableBody(text('body_too_deep', { levels: DEPTH_MAX }))
        level = level.flatMap((value) => nestedObjects(Object.values(value)))
      }
    }),
  )
}

const nestedObjects = (values: readonly unknown[]) =>
  values.filter((value): value is object => typeof value === 'object' && value !== null)
