import { expect, it } from 'vitest'

import { readBoundaries } from '../../prisma/seeds/boundaries.ts'
import { ISSUES_PER_CITY, SEED } from '../../prisma/seeds/demo/demo.ts'
import { makeScenario } from '../../prisma/seeds/scenario.ts'
import { textOf } from './commands.ts'

interface Answer {
  readonly metadata: { readonly pagination: { readonly entries: number; readonly pages: number } }
  readonly issues: readonly { readonly id: number; readonly [field: string]: unknown }[]
}

it('shows in the README the issue that the demo of the named day has', { timeout: 400_000 }, async () => {
  const readme = textOf('README.md')
  const [, day = ''] = /demo that began on (\d{4}-\d{2}-\d{2})/.exec(readme) ?? []
  const { metadata, issues } = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '') as Answer
  const options = { seed: SEED, now: new Date(`${day}T12:00:00Z`), issuesPerCity: ISSUES_PER_CITY }

  const scenario = makeScenario(await readBoundaries(), options)

  const open = scenario.issues.filter(({ city, status, isHeld }) => city.urlName === 'denver' && status === 'Open' && !isHeld)
  const ratings = open.map(({ votes, acknowledgedAt }) => 1 + votes.size + (acknowledgedAt === null ? 0 : 1))
  const shown = scenario.issues[(issues[0]?.id ?? 0) - 1]
  expect([metadata.pagination.entries, metadata.pagination.pages]).toEqual([open.length, open.length])
  expect(issues).toEqual([
    {
      id: issues[0]?.id,
      status: shown?.status,
      summary: shown?.report.summary,
      rating: String(Math.max(...ratings)),
      lat: shown?.spot.lat,
      lng: shown?.spot.lng,
    },
  ])
})
