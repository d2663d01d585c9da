import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { findUnsubscribeKey, unsubscribeToken } from '../../src/mail/unsubscribe-token.ts'
import { nextDigestAt } from '../../src/watch-areas/schema.ts'
import { createBrowser } from '../helpers/browser.ts'
import { type TestUser, square } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { createWatchScenario } from './watch-scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { watch, reported, mail, sent } = createWatchScenario(
  () => app.db,
  () => app.create,
)

let ada: TestUser
let ben: TestUser
beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park', locale: 'es' })
  ben = await app.create.user()
})

const tokenOf = async (area: number, user_id = ada.id) =>
  unsubscribeToken(await findUnsubscribeKey(app.db), { kind: 'watch', user_id, watch_area_id: area })
const oneClick = (token: string) =>
  app.as.anonymous.send('POST', `/unsubscribe?token=${token}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  })
const press = async (area: number, action: string) =>
  createBrowser(app.fastify).post('/unsubscribe', { token: await tokenOf(area), do: action })
const standing = async (area: number) => {
  const [row] = await queryRows(
    app.db,
    sql`
    SELECT w.frequency, w.frequency_before, w.next_digest_at FROM watch_areas w WHERE w.id = ${area}`,
  )
  return row
}
const STOPPED = { frequency: 'never', next_digest_at: null }

describe('the unsubscribe link of a watch area', () => {
  it('is in the headers and ends the mails of that area only', async () => {
    const area = await watch({ user: ada })
    const other = await watch({ user: ada, name: 'Other' })
    await reported()
    await mail()
    const { headers = {} } = sent[0] ?? {}
    const [, token = ''] = /token=([^>]+)>/.exec(headers['List-Unsubscribe'] ?? '') ?? []

    const answer = await oneClick(token)

    expect([answer.status, headers['List-Unsubscribe-Post']]).toEqual([200, 'List-Unsubscribe=One-Click'])
    expect(await standing(area)).toEqual({ ...STOPPED, frequency_before: 'instant' })
    await reported()
    await mail()
    expect(sent.map((one) => one.headers?.['List-Id'])).toEqual([`Fixpoint watch area ${other} <watch-${other}.fixpoint.test>`])
  })

  it('shows the name of the area when it is opened, in its language, and changes nothing', async () => {
    const area = await watch({ user: ada, name: 'Le quartier <b>', locale: 'fr', frequency: 'daily' })
    const before = await standing(area)

    const page = await app.as.anonymous.send('GET', `/unsubscribe?token=${await tokenOf(area)}`)

    expect(page.text).toContain('ce qui se passe dans\u00A0: Le quartier &lt;b&gt;')
    expect(page.text).toContain('<html lang="fr"')
    expect(await standing(area)).toEqual(before)
  })

  it.each(['instant', 'daily', 'weekly'] as const)(
    'can be undone: mails come %s as before, also after two clicks',
    async (frequency) => {
      const area = await watch({ user: ada, frequency })

      await press(area, 'stop-watch')
      await press(area, 'stop-watch')
      const stopped = await standing(area)
      const page = await press(area, 'undo-watch')

      expect(stopped).toEqual({ ...STOPPED, frequency_before: frequency })
      // The centre of the square is that of GREEN.
      const due = nextDigestAt({ frequency, at: new Date(), lng: -72.9279 })
      expect(await app.db.prisma.watchArea.findUniqueOrThrow({ where: { id: area } })).toMatchObject({
        frequency,
        frequency_before: null,
        next_digest_at: due,
      })
      expect(page.text).toContain('name="do" value="stop-watch"')
    },
  )

  it('can end all mails and resume them', async () => {
    const area = await watch({ user: ada })
    await press(area, 'stop-all')
    await reported()
    const stopped = await mail()
    await press(area, 'undo-all')
    await reported()

    expect([stopped, await mail()]).toEqual([[], [ada.email]])
  })

  it('does nothing to an area of another user or a deleted one, and is rejected if forged', async () => {
    const area = await watch({ user: ben, area: square({ lng: 0, lat: 0 }) })
    const before = await standing(area)

    const answers = [
      await oneClick(await tokenOf(area)),
      await oneClick(await tokenOf(987)),
      await oneClick(`w.${ben.id}.${area}.${'x'.repeat(16)}`),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404])
    expect(await standing(area)).toEqual(before)
  })
})
