import { describe, expect, it } from 'vitest'

import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

describe('GET /i/:code', () => {
  const app = useApp()
  const follow = (code: string) => app.as.anonymous.send('GET', `/i/${code}`)

  it('redirects to the issue, in lower and upper case', async () => {
    await app.create.issue({ id: 46_655 })

    const answers = [await follow('zzz'), await follow('ZZZ')]

    expect(answers.map(({ status }) => status)).toEqual([302, 302])
    expect(answers.map(({ headers }) => headers.location)).toEqual([`${PUBLIC_URL}/issues/46655`, `${PUBLIC_URL}/issues/46655`])
  })

  it('accepts the largest id', async () => {
    await app.create.issue({ id: 2_147_483_647 })

    expect((await follow('zik0zj')).headers.location).toBe(`${PUBLIC_URL}/issues/2147483647`)
    expect((await follow('zik0zk')).status).toBe(404)
  })

  it.each(['2', '0', '01', '-1', '1.5', 'zzzzzzz', 'ß', '%20', '1%00', '1/2'])('returns 404 for %s', async (code) => {
    await app.create.issue({ id: 1 })

    expect((await follow(code)).status).toBe(404)
  })

  it('returns 404 for a pending issue', async () => {
    await app.create.issue({ id: 7, moderation_state: 'held' })

    expect((await follow('7')).status).toBe(404)
  })
})
