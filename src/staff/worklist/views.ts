import Type, { type Static } from 'typebox'
import { Id, visibleText } from '../../http/schema/fields.ts'
import { text } from '../../locales/texts.ts'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { problems } from '../../errors/problems.ts'
import type { PrismaHandle, Transaction } from '../../database/database.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { WorklistQuery } from './schema.ts'
import { parseWorklist, type Worklist } from './worklist.ts'
import { mayIn } from '../../http/identity/capabilities.ts'
import { type ContentChange, addContentRoutes, documentKind, findItem } from '../../organizations/content.ts'
import { lockOrganization } from '../../organizations/queries.ts'
import type { Services } from '../../services.ts'
import { createQueryCheck } from '../../http/validation/stored-query.ts'

const VIEWS_MAX = 50
export const VIEW_NAME_MAX = 60
const QUERY_MAX = 2_000

const fields = {
  name: visibleText(VIEW_NAME_MAX, { examples: ['Late potholes'] }),
  query: Type.String({
    maxLength: QUERY_MAX,
    description: 'The query of `GET /organizations/:id/issues` as in its URL, without `page`, `per_page` and `watcher_token`.',
    examples: ['late=close&sort=target'],
  }),
  is_shared: Type.Boolean({
    description: 'All members see a shared view. To change it needs the capability `manage_content`.',
    examples: [false],
  }),
  position: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'Views are sorted by position, then by id; one’s own come before shared ones.',
    examples: [1],
  }),
}

const { name, query, ...others } = fields
const NewView = Type.Object({ name, query, ...Type.Partial(Type.Object(others)).properties }, { title: 'NewView' })
const ViewChange = Type.Partial(Type.Object(fields), { title: 'ViewChange' })
type ViewInput = Static<typeof ViewChange>

export const View = Type.Object({ id: Id, ...fields }, { title: 'View' })
export type View = Static<typeof View>
const ViewQuery = Type.Omit(WorklistQuery, ['page', 'per_page', 'watcher_token'])

/**
 * Returns a function that checks the query of a view by the schema and the rules of the list.
 * It rejects with a Problem 422 that names the parameters with values that are not allowed.
 */
export function createViewCheck(app: FastifyInstance) {
  const check = createQueryCheck(app, ViewQuery, 'view_parameter')
  return async (worklist: Worklist, query: string): Promise<void> => {
    await parseWorklist(worklist, check(query), { page: 1, perPage: 1 })
  }
}

const select = { id: true, name: true, query: true, position: true, owner_id: true } as const

/** A view that the caller may see: an own one or a shared one. */
const visibleTo = (organization_id: number, { id }: Viewer) => ({ organization_id, OR: [{ owner_id: id }, { owner_id: null }] })

interface ViewRow extends Omit<View, 'is_shared'> {
  readonly owner_id: number | null
}
const present = ({ owner_id, ...view }: ViewRow): View => ({ ...view, is_shared: owner_id === null })

/** Returns the caller's views, then the shared ones. */
export async function listViews(db: PrismaHandle, organizationId: number, viewer: Viewer): Promise<View[]> {
  const where = visibleTo(organizationId, viewer)
  const orderBy = [{ owner_id: { sort: 'asc', nulls: 'last' } }, { position: 'asc' }, { id: 'asc' }] as const
  return (await db.prisma.savedView.findMany({ where, select, orderBy: [...orderBy] })).map(present)
}

/** Adds a view after the others and returns its id. @throws Problem 403 for a shared one without `manage_content`, 422 `{base}` for too many */
export async function addView(tx: Transaction, { organization_id, viewer, now }: ContentChange, input: ViewInput): Promise<number> {
  const { name = '', query = '', is_shared = false, position } = input
  requireChange(viewer, organization_id, is_shared)
  await lockOrganization(tx, organization_id)
  const owner_id = is_shared ? null : viewer.id
  const where = { organization_id, owner_id }
  const { _count: count, _max: last } = await tx.prisma.savedView.aggregate({ where, _count: true, _max: { position: true } })
  if (count >= VIEWS_MAX) throw problems.invalid({ base: text('too_many_views', { max: VIEWS_MAX }) })
  const data = { ...where, name, query, position: position ?? (last.position ?? 0) + 1, created_at: now, updated_at: now }
  return (await tx.prisma.savedView.create({ data, select: { id: true } })).id
}

/** Changes the fields that are present. @throws Problem 404, 403 */
async function changeView(
  tx: Transaction,
  { organization_id, viewer, now }: ContentChange,
  id: number,
  { is_shared, ...input }: ViewInput,
): Promise<void> {
  const view = await findItem(listViews(tx, organization_id, viewer), id, 'the_view')
  requireChange(viewer, organization_id, view.is_shared || is_shared === true)
  const owner = is_shared === undefined ? {} : { owner_id: is_shared ? null : viewer.id }
  await tx.prisma.savedView.update({ where: { id }, data: { ...input, ...owner, updated_at: now } })
}

/** @throws Problem 404, 403 */
export async function deleteView(tx: Transaction, { organization_id, viewer }: ContentChange, id: number): Promise<void> {
  requireChange(viewer, organization_id, (await findItem(listViews(tx, organization_id, viewer), id, 'the_view')).is_shared)
  await tx.prisma.savedView.delete({ where: { id } })
}

/** Moves a view before the one that precedes it. @throws Problem 404, 403 */
export async function moveViewUp(tx: Transaction, change: ContentChange, id: number): Promise<void> {
  const { organization_id, viewer, now } = change
  const { is_shared } = await findItem(listViews(tx, organization_id, viewer), id, 'the_view')
  requireChange(viewer, organization_id, is_shared)
  const ids = (await listViews(tx, organization_id, viewer)).filter((view) => view.is_shared === is_shared).map((view) => view.id)
  const index = Math.max(ids.indexOf(id), 1)
  const moved = [...ids.slice(0, index - 1), id, ...ids.slice(index - 1).filter((one) => one !== id)]
  for (const [position, one] of moved.entries())
    await tx.prisma.savedView.update({ where: { id: one }, data: { position, updated_at: now } })
}

function requireChange(viewer: Viewer, organizationId: number, isShared: boolean): void {
  const capability = isShared ? 'manage_content' : 'read_issues'
  if (!mayIn(viewer, capability, organizationId))
    throw problems.notPermitted(text('organization_capability_missing', { capability }))
}

const SHARED = 'A shared view needs `manage_content`.'

export const viewRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  const { db, areas } = services
  const checkView = createViewCheck(app)
  addContentRoutes(app, services, {
    name: 'views',
    parameter: ['view_id', 'view'],
    schemas: { item: View, added: NewView, changed: ViewChange },
    documentation: documentKind(['View', 'saved view'], {
      list: 'One’s own views of the list of issues, then the shared ones of the organisation.',
      add: `At most ${VIEWS_MAX}, and as many shared ones. ${SHARED}`,
      change: SHARED,
      remove: SHARED,
    }),
    changedWith: 'read_issues',
    check: async ({ organization_id: organizationId, viewer, now }, { query }) =>
      query === undefined ? undefined : checkView({ reader: db, areas, viewer, organizationId, now }, query),
    list: listViews,
    notFound: 'the_view',
    add: addView,
    change: changeView,
    remove: deleteView,
  })
}
