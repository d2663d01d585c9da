import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'

import type { PrismaHandle, Transaction } from '../database/database.ts'
import { type Resource, orNotFound } from '../errors/problems.ts'
import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { addDeletion } from '../http/auth/deletion-route.ts'
import type { Capability } from '../http/identity/roles.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { idempotent } from '../http/idempotency/idempotency.ts'
import { matchIfGiven, requireMatch, withEtag } from '../http/request/version-header.ts'
import { failsWith, Id } from '../http/schema/fields.ts'
import { lockOrganization, requireOrganizationCapability } from './queries.ts'
import { OrganizationParams } from './schema.ts'
import type { Services } from '../services.ts'

export interface ContentChange {
  readonly organization_id: number
  readonly viewer: Viewer
  readonly now: Date
}

interface Documented {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
}

/** One kind of content of an organisation, such as its calendars. */
interface Content<Item extends TSchema, New extends TSchema, Change extends TSchema> {
  /** Plural: the last segment of the path and the key of the list. */
  readonly name: string
  /** The parameter of the path for the id of one, and the noun in its description. */
  readonly parameter: readonly [name: string, noun: string]
  readonly schemas: { readonly item: Item; readonly added: New; readonly changed: Change }
  readonly documentation: Readonly<Record<'list' | 'get' | 'add' | 'change', Documented> & { remove?: Documented }>
  /** The capability that readers need; the default is `read_issues`, which all members have. */
  readonly readWith?: Capability
  /** The capability that changes need; the default is `manage_content`. */
  readonly changedWith?: Capability
  /** The lock that all changes take first; the default is that of the organisation. */
  readonly lock?: (tx: Transaction, organizationId: number) => Promise<void>
  /** Checks the input of a change before its transaction. */
  readonly check?: (change: ContentChange, input: Static<New> | Static<Change>) => Promise<void>
  readonly list: (db: PrismaHandle, organizationId: number, viewer: Viewer) => Promise<(Static<Item> & Identified)[]>
  /** The subject of a Problem 404. */
  readonly notFound: Resource
  readonly add: (tx: Transaction, change: ContentChange, input: Static<New>) => Promise<number>
  readonly change: (tx: Transaction, change: ContentChange, id: number, input: Static<Change>) => Promise<void>
  /** Without it, they cannot be deleted. */
  readonly remove?: (tx: Transaction, change: ContentChange, id: number) => Promise<void>
}

/** Returns the documentation of a kind by its nouns, such as `Calendar` in the ids of its operations and `calendar` in their summaries. */
export const documentKind = (
  [id, noun]: readonly [id: string, noun: string],
  { list, add, change, remove = '' }: Readonly<Record<'list' | 'add' | 'change', string>> & { readonly remove?: string },
) => ({
  list: { operationId: `list${id}s`, summary: `List the ${noun}s of an organisation`, description: list },
  get: { operationId: `get${id}`, summary: `Get a ${noun}` },
  add: { operationId: `create${id}`, summary: `Add a ${noun}`, description: add },
  change: {
    operationId: `update${id}`,
    summary: `Change a ${noun}`,
    description: `Changes only the fields that are present. ${change}`.trim(),
  },
  remove: { operationId: `delete${id}`, summary: `Delete a ${noun}`, description: remove },
})

interface Identified {
  readonly id: number
}

/** @throws Problem 404 if the list has no item with the id */
export async function findItem<Item extends Identified>(list: Promise<readonly Item[]>, id: number, what: Resource): Promise<Item> {
  const item = (await list).find((one) => one.id === id)
  return orNotFound(item, what)
}

const tags = ['Organisations']

/** Adds the routes of one kind of content. Members may read it; those with the capability `changedWith` may change it. */
export function addContentRoutes<Item extends TSchema, New extends TSchema, Change extends TSchema>(
  app: FastifyInstance,
  { db, clock }: Services,
  {
    name,
    parameter: [parameter, noun],
    schemas,
    documentation,
    lock = lockOrganization,
    readWith = 'read_issues',
    changedWith = 'manage_content',
    ...content
  }: Content<Item, New, Change>,
): void {
  const path = `/organizations/:id/${name}`
  const list = Type.Object(
    { errors: Type.Object({}), metadata: Type.Object({}), [name]: Type.Array(schemas.item) },
    { title: `${String((schemas.item as { readonly title?: string }).title)}List` },
  )
  const ItemParams = Type.Object({
    ...OrganizationParams.properties,
    [parameter]: { ...Id, description: `The id of the ${noun}.` },
  })
  const documentChange = ({ description, ...operation }: Documented, precondition = '') => ({
    ...operation,
    description: `${description ? `${description} ` : ''}${precondition}Needs the capability \`${changedWith}\`.`,
    tags,
  })
  const readers = readWith === 'read_issues' ? 'For members.' : `Needs \`${readWith}\`.`
  const itemId = ({ params }: Pick<FastifyRequest, 'params'>) => (params as Readonly<Record<string, number>>)[parameter] ?? 0
  const find = (handle: PrismaHandle, { organization_id, viewer }: ContentChange, id: number) =>
    findItem(content.list(handle, organization_id, viewer), id, content.notFound)

  app.get(
    path,
    {
      onRequest: requireLogin,
      schema: {
        ...documentation.list,
        description: `${documentation.list.description} ${readers}`,
        tags,
        params: OrganizationParams,
        response: { 200: list, ...failsWith(404) },
      },
    },
    async (request) => {
      const { organization_id, viewer } = await authorize(request, readWith)
      return { errors: {}, metadata: {}, [name]: await content.list(db, organization_id, viewer) }
    },
  )

  app.get<{ Params: object }>(
    `${path}/:${parameter}`,
    {
      onRequest: requireLogin,
      schema: {
        ...documentation.get,
        description: `Its ETag is \`If-Match\` of a change. ${readers}`,
        tags,
        params: ItemParams,
        response: { 200: schemas.item, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      return withEtag(reply, await find(db, await authorize(request, readWith), itemId(request)))
    },
  )

  app.post<{ Body: Static<New> }>(
    path,
    {
      onRequest: requireLogin,
      schema: {
        ...documentChange(documentation.add),
        params: OrganizationParams,
        body: schemas.added,
        response: { 201: schemas.item, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const change = await authorize(request, changedWith)
      await content.check?.(change, request.body as Static<New>)
      const { id } = await idempotent(request, db, async (tx) => {
        await lock(tx, change.organization_id)
        return { id: await content.add(tx, change, request.body as Static<New>) }
      })
      return reply.code(201).send(await find(db, change, id))
    },
  )

  app.put<{ Body: Static<Change> }>(
    `${path}/:${parameter}`,
    {
      onRequest: requireLogin,
      schema: {
        ...documentChange(documentation.change, 'With `If-Match`. '),
        params: ItemParams,
        body: schemas.changed,
        response: { 200: schemas.item, ...failsWith(400, 404, 412, 413, 415, 422, 428) },
      },
    },
    async (request) => {
      const change = await authorize(request, changedWith)
      await content.check?.(change, request.body as Static<Change>)
      await db.transaction(async (tx) => {
        await lock(tx, change.organization_id)
        requireMatch(request, await find(tx, change, itemId(request)))
        await content.change(tx, change, itemId(request), request.body as Static<Change>)
      })
      return find(db, change, itemId(request))
    },
  )

  const { remove } = content
  if (!remove || !documentation.remove) return
  addDeletion(app, {
    path: `${path}/:${parameter}`,
    ...documentChange(documentation.remove, 'With `If-Match` only this version. '),
    params: ItemParams,
    done: `The ${noun} is deleted.`,
    fails: [404, 412, 422],
    async act(_viewer, _params, request) {
      const change = await authorize(request, changedWith)
      await db.transaction(async (tx) => {
        await lock(tx, change.organization_id)
        await matchIfGiven(request, () => find(tx, change, itemId(request)))
        await remove(tx, change, itemId(request))
      })
    },
  })

  /** @throws Problem 404 for an unknown organisation, 403 that names the missing capability */
  async function authorize(request: Pick<FastifyRequest, 'params' | 'viewer'>, capability: Capability): Promise<ContentChange> {
    const { id } = request.params as { readonly id: number }
    const viewer = requireViewer(request)
    await requireOrganizationCapability(db, id, viewer, capability)
    return { organization_id: id, viewer, now: clock() }
  }
}
