import type { PrismaHandle, Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { mayIn } from '../../http/identity/capabilities.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { text } from '../../locales/texts.ts'
import type { ContentChange } from '../../organizations/content.ts'
import { lockOrganization } from '../../organizations/queries.ts'
import { type View, type ViewInput, VIEWS_MAX } from './schema.ts'

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

/** @throws Problem 404 */
export async function findView(db: PrismaHandle, organizationId: number, id: number, viewer: Viewer): Promise<View> {
  const view = await db.prisma.savedView.findFirst({ where: { id, ...visibleTo(organizationId, viewer) }, select })
  if (!view) throw problems.notFound('the_view')
  return present(view)
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
export async function changeView(
  tx: Transaction,
  { organization_id, viewer, now }: ContentChange,
  id: number,
  { is_shared, ...input }: ViewInput,
): Promise<void> {
  const view = await findView(tx, organization_id, id, viewer)
  requireChange(viewer, organization_id, view.is_shared || is_shared === true)
  const owner = is_shared === undefined ? {} : { owner_id: is_shared ? null : viewer.id }
  await tx.prisma.savedView.update({ where: { id }, data: { ...input, ...owner, updated_at: now } })
}

/** @throws Problem 404, 403 */
export async function deleteView(tx: Transaction, { organization_id, viewer }: ContentChange, id: number): Promise<void> {
  requireChange(viewer, organization_id, (await findView(tx, organization_id, id, viewer)).is_shared)
  await tx.prisma.savedView.delete({ where: { id } })
}

/** Moves a view before the one that precedes it. @throws Problem 404, 403 */
export async function moveViewUp(tx: Transaction, change: ContentChange, id: number): Promise<void> {
  const { organization_id, viewer, now } = change
  const { is_shared } = await findView(tx, organization_id, id, viewer)
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
