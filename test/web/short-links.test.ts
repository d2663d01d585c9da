import { describe, expect, test } from 'vitest'

import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

describe('GET /i/:code', () => {
  const app = useApp()
  const follow = (code: string) => app.as.anonymous.send('GET', `/i/${code}`)

  test('leads to the page of the issue, in small letters and in capitals', async () => {
    await app.create.issue({ id: 46_655 })

    const answers = [await follow('zzz'), await follow('ZZZ')]

    expect(answers.map(({ status }) => status)).toEqual([302, 302])
    expect(answers.map(({ headers }) => headers.location)).toEqual([`${PUBLIC_URL}/issues/46655`, `${PUBLIC_URL}/issues/46655`])
  })

  test('knows the largest id there can be', async () => {
    await app.create.issue({ id: 2_147_483_647 })

    expect((await follow('zik0zj')).headers.location).toBe(`${PUBLIC_URL}/issues/2147483647`)
    expect((await follow('zik0zk')).status).toBe(404)
  })

  test.each(['2', '0', '01', '-1', '1.5', 'zzzzzzz', 'ß', '%20', '1%00', '1/2'])('is 404 for %s', async (code) => {
    await app.create.issue({ id: 1 })

    expect((await follow(code)).status).toBe(404)
  })

  test('tells nobody that a held issue exists', async () => {
    await app.create.issue({ id: 7, moderation_state: 'held' })

    expect((await follow('7')).status).toBe(404)
  })
})
