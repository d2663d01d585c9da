import { describe, expect, it } from 'vitest'

import { hashPassword } from '../helpers/hash-password.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { basic, bearer } from '../http/app-on.ts'

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

  it('leads the author of a pending issue to it, by Basic or Bearer, and other callers to nothing', async () => {
    const ada = await app.create.user({ password_hash: await hashPassword('correct horse') })
    const ben = await app.create.user()
    await app.create.issue({ id: 7, summary: 'Held pothole', reporter: ada, moderation_state: 'held' })
    const asAda = basic(ada.email, 'correct horse')
    const callers = {
      basic: asAda,
      bearer: bearer(ada.token),
      other: bearer(ben.token),
      wrong: bearer('fxp_unknown'),
      'page of another site': { ...asAda, origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
    }

    const answers = []
    for (const [caller, headers] of Object.entries(callers)) {
      const link = await app.as.anonymous.send('GET', '/i/7', { headers })
      const page = await app.as.anonymous.send('GET', '/issues/7', { headers })
      answers.push([caller, link.status, page.status, page.text.includes('Held pothole'), page.headers['cache-control']])
    }

    expect(answers).toEqual([
      ['basic', 302, 200, true, 'private, no-cache'],
      ['bearer', 302, 200, true, 'private, no-cache'],
      ['other', 404, 404, false, undefined],
      ['wrong', 401, 401, false, undefined],
      ['page of another site', 403, 403, false, undefined],
    ])
  })
})
