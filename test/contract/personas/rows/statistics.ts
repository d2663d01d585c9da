import { expect } from 'vitest'

import type { ApiResponse } from '../../../helpers/client.ts'
import { GREEN } from '../../../helpers/factories.ts'
import type { PersonaRows } from '../persona-rows.ts'
import { api, type Row, UNKNOWN_ID } from '../row.ts'

const near = `lat=${GREEN.lat}&lng=${GREEN.lng}&radius=500`
const names = (field: string) => (answer: ApiResponse) => expect(Object.keys(answer.body as object)).toEqual([field])
/** The numbers do not depend on the caller, and one public report is too few for a number. */
const hasNoNumbers = ({ body, text }: ApiResponse) => {
  expect(body).toMatchObject({ total: { reported: null, closed: 0, open_at_end: null } })
  expect(text).not.toContain('Owner')
}

const ofRoads = async ({ app }: PersonaRows, query: string) => {
  const { id } = await app.db.prisma.organization.findFirstOrThrow({ where: { name: 'Roads' } })
  return ['GET', api(`/organizations/${id}/statistics?${query}`)] as const
}

export const statisticsRows: readonly Row[] = [
  {
    operation: 'getStatistics',
    what: 'the numbers of a circle by type',
    request: () => ['GET', api(`/statistics?${near}&from=2025-12-01&until=2026-01-31&group_by=type`)],
    expected: 200,
    check: hasNoNumbers,
  },
  {
    operation: 'getStatistics',
    what: 'the numbers of a period that ends before it begins',
    request: () => ['GET', api('/statistics?from=2026-02-01&until=2026-01-31')],
    expected: 422,
    check: names('from'),
  },
  {
    operation: 'getOrganizationStatistics',
    what: 'the numbers of an organisation',
    request: (world) => ofRoads(world, 'from=2025-12-01&until=2026-01-31'),
    expected: 200,
    check: hasNoNumbers,
  },
  {
    operation: 'getOrganizationStatistics',
    what: 'the numbers of an unknown organisation',
    request: () => ['GET', api(`/organizations/${UNKNOWN_ID}/statistics`)],
    expected: 404,
  },
  {
    operation: 'getOrganizationStatistics',
    what: 'the numbers of an organisation by an unknown interval',
    request: (world) => ofRoads(world, 'interval=hour'),
    expected: 422,
    check: names('interval'),
  },
]
