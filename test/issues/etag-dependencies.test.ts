import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { type IssueRow, relatedColumns } from '../../src/issues/queries.ts'
import {
  pickSerialized,
  toSerializedById,
  toIdArrays,
  dependencyColumns,
  collectDependencies,
  SerializedDependencies,
} from '../../src/issues/list/etag-dependencies.ts'
import { useApp } from '../helpers/use-app.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** Names often contain characters that could delimit a part of the text. */
const name = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.string({ unit: fc.constantFrom('\n', '\\', '"', '-', '+', '1', ' ', '\u007f', '\u2028', 'ß', '🦆'), minLength: 1 }),
)
const storableName = name.filter((text) => !text.includes('\0') && text.isWellFormed())
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })

describe('ETag dependencies of users and request types', () => {
  const app = useApp()

  it('have the same text from PostgreSQL and from the rows of a page', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(
        storableName,
        storableName,
        maybe(storableName),
        maybe(storableName),
        fc.nat(),
        async (person, title, organization, avatar, points) => {
          const { create, db } = app
          const reporter = await create.user({ name: person, civic_points: points })
          await db.prisma.user.update({ where: { id: reporter.id }, data: { avatar_full: avatar } })
          const owner = organization === null ? null : await create.organization({ name: organization })
          const type = await create.requestType({ title: `${title}${++count}`, organization: owner })
          const id = await create.issue({ reporter, request_type: type })

          const [row] = await queryRows<Pick<IssueRow, 'reporter' | 'request_type'>>(
            db,
            sql`SELECT ${relatedColumns(null)} FROM issues i WHERE i.id = ${id}`,
          )
          const ids = { users: [reporter.id], requestTypes: [type] }
          const [texts] = await db.query(SerializedDependencies, sql`SELECT ${dependencyColumns(toIdArrays(ids))}`)

          const dependencies = collectDependencies([row?.reporter ?? null], [row?.request_type ?? null])
          expect([...(dependencies?.users.keys() ?? []), ...(dependencies?.requestTypes.keys() ?? [])]).toEqual([reporter.id, type])
          expect(texts && { users: toSerializedById(texts.users), requestTypes: toSerializedById(texts.requestTypes) }).toEqual(
            dependencies,
          )
        },
      ),
      runs(10),
    )
  })

  const person = { id: 7, name: 'Ann', role: 'Admin' as const, civic_points: 1, avatar_full: null, avatar_square: null }
  const type = { id: 3, title: 'Light', organization: null, organization_id: null }

  it.each([
    [{ ...person, name: 'Anne' }, type],
    [{ ...person, role: 'Registered User' as const }, type],
    [{ ...person, civic_points: 2 }, type],
    [{ ...person, avatar_full: 'a.webp' }, type],
    [{ ...person, avatar_square: 'a.webp' }, type],
    [person, { ...type, title: 'Lamp' }],
    [person, { ...type, title: 'Ligh', organization: 't', organization_id: 1 }],
    [person, { ...type, title: 'Light', organization: '', organization_id: 1 }],
  ])('have a different text after each change: %o %o', (other, otherType) => {
    const texts = (dependencies: ReturnType<typeof collectDependencies>) => [
      ...(dependencies?.users.values() ?? []),
      ...(dependencies?.requestTypes.values() ?? []),
    ]
    expect(texts(collectDependencies([other], [otherType]))).not.toEqual(texts(collectDependencies([person], [type])))
  })

  it('are sorted by id, and undefined for contradicting rows', () => {
    const earlier = { ...person, id: 5 }
    expect([...(collectDependencies([person, null, earlier, person], [])?.users.keys() ?? [])]).toEqual([5, 7])
    expect(collectDependencies([person, { ...person, name: 'Anne' }], [])).toBeUndefined()
    expect([...pickSerialized(new Map([[9, 'x']]), [4, 9]).keys()]).toEqual([9])
  })
})
