import { expect } from 'vitest'

import type { ApiResponse } from '../../../helpers/client.ts'
import { GREEN, square } from '../../../helpers/factories.ts'
import { api, type Row } from '../row.ts'

const near = `lat=${GREEN.lat}&lng=${GREEN.lng}&radius=500`
const names = (field: string) => (answer: ApiResponse) => expect(Object.keys(answer.body as object)).toEqual([field])
/** The numbers do not depend on the caller. */
const isOf = (frequency: string) => (answer: ApiResponse) => expect(answer.body).toMatchObject({ frequency, about: 'all' })

export const forecastRows: readonly Row[] = [
  {
    operation: 'forecastMails',
    what: 'the mails of a circle',
    request: () => ['GET', api(`/watchers/forecast?${near}&frequency=daily`)],
    expected: 200,
    check: isOf('daily'),
  },
  {
    operation: 'forecastMails',
    what: 'mails without an area',
    request: () => ['GET', api('/watchers/forecast')],
    expected: 422,
    check: names('base'),
  },
  {
    operation: 'forecastMailsOfBody',
    what: 'the mails of a polygon',
    request: () => ['POST', api('/watchers/forecast'), { area: square(GREEN) }],
    expected: 200,
    check: isOf('instant'),
  },
  {
    operation: 'forecastMailsOfBody',
    what: 'mails of an incomplete circle',
    request: () => ['POST', api('/watchers/forecast'), { lat: 1, lng: 2 }],
    expected: 422,
    check: names('radius'),
  },
]
