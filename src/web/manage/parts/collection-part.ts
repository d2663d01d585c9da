import type { Database, Transaction } from '../../../database/database.ts'
import type { ContentChange } from '../../../organizations/content.ts'
import type { Part, PartContext, Row } from '../forms/part.ts'

/** The functions of the API for one kind of content. */
interface Content<Item> {
  list(db: Database | Transaction, organization_id: number): Promise<readonly Item[]>
  add(tx: Transaction, change: ContentChange, input: object): Promise<number>
  change(tx: Transaction, change: ContentChange, id: number, input: object): Promise<void>
  remove(tx: Transaction, change: ContentChange, id: number): Promise<void>
}

const changeIn = ({ organization, viewer, now }: PartContext) => ({ organization_id: organization.id, viewer, now })

/** The functions of a part whose rows managers change by API. */
export const ofContent = <Item extends Row>({ list, add, change, remove }: Content<Item>) =>
  ({
    capability: 'manage_content',
    list: ({ db, organization }) => list(db, organization.id),
    save: (tx, context, id, body) =>
      id === undefined ? add(tx, changeIn(context), body) : change(tx, changeIn(context), id, body),
    remove: (tx, context, id) => remove(tx, changeIn(context), id),
  }) satisfies Partial<Part<Item>>

/** The active request types of the organisation, and those that a row has, as choices. */
export async function typeChoices({ db, organization }: PartContext, ids: readonly number[] = []) {
  const types = await db.prisma.requestType.findMany({
    where: { organization_id: organization.id, OR: [{ active: true }, { id: { in: [...ids] } }] },
    select: { id: true, title: true, language: true },
    orderBy: [{ position: 'asc' }, { title: 'asc' }, { id: 'asc' }],
  })
  return types.map(({ id, title, language }) => ({ key: String(id), name: title, language }))
}
