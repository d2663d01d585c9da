import { describe, expect, it } from 'vitest'

import { useApp } from '../helpers/use-app.ts'
import { createReader, ISSUES } from './reader.ts'

const app = useApp()
const { readIds } = createReader(app)
const idsFor = (filter: string) => readIds(`${ISSUES}?filter=${encodeURIComponent(filter)}`)

describe('items of issues', () => {
  it('finds archived issues by their status', async () => {
    const archived = await app.create.issue({ status: 'Archived', closed_at: '2026-01-02T00:00:00Z' })
    const open = await app.create.issue()

    expect(await idsFor("status = 'Archived'")).toEqual([archived])
    expect(await idsFor("status IN ('Archived', 'Open')")).toEqual([archived, open])
    expect(await idsFor('rating_count > 0')).toEqual([open])
  })

  it('finds archived issues by their id, but not by a range of ids', async () => {
    const archived = await app.create.issue({ status: 'Archived', closed_at: '2026-01-02T00:00:00Z' })
    const open = await app.create.issue()

    expect(await idsFor(`id = ${archived}`)).toEqual([archived])
    expect(await idsFor(`id IN (${archived}, ${open})`)).toEqual([archived, open])
    expect(await idsFor(`id = ${archived} OR ${open} = id`)).toEqual([archived, open])
    expect(await idsFor(`id = ${archived} AND rating_count >= 0`)).toEqual([archived])
    expect(await readIds(`${ISSUES}?id=${archived}`)).toEqual([archived])
    expect(await idsFor('id > 0')).toEqual([open])
    expect(await idsFor(`id = ${archived} OR rating_count >= 0`)).toEqual([open])
    expect(await readIds(`${ISSUES}?id=${archived}&status=open`)).toEqual([])
  })
})
