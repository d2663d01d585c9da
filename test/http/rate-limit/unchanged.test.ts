import { describe, expect, it } from 'vitest'

import type { ApiResponse } from '../../helpers/client.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, bearer } from '../app-on.ts'

const app = useApp()
const remaining = ({ headers }: ApiResponse) => Number(/^"default";r=(\d+);t=\d+$/.exec(String(headers['ratelimit']))?.[1])

describe('the rate limit', () => {
  it.each([
    ['as many permits as requests', 3, 30],
    ['more permits than requests', 10_000, 30],
  ])('does not count 304s, for up to ten times the limit: %s', async (_, limit, polls) => {
    const { anonymous } = await appOn(app.db, { RATE_LIMIT: String(limit), TRUST_PROXY: '1' })
    const ada = await app.create.user()
    const callers = [{ 'x-forwarded-for': '203.0.113.7' }, { 'x-forwarded-for': '2001:db8:1:2::3' }, bearer(ada.token)]

    for (const headers of callers) {
      const unchanged = () => anonymous.get('/profile', { ...headers, 'if-none-match': '*' })
      const first = await anonymous.get('/profile', headers)
      const answers = []
      while (answers.length <= polls) answers.push(await unchanged())

      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([304]))
      expect(answers.slice(0, 10 * limit).map(remaining)).toEqual(answers.slice(0, 10 * limit).map(() => remaining(first)))
    }
  })

  it('counts 304s over ten times the limit', async () => {
    const { anonymous } = await appOn(app.db, { RATE_LIMIT: '1' })

    const answers = []
    while (answers.length < 12) answers.push(await anonymous.get('/profile', { 'if-none-match': '*' }))

    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(11).fill(304), 429])
  })
})
