import { describe, expect, it } from 'vitest'

import { hashPassword } from '../helpers/hash-password.ts'
import { GREEN } from '../helpers/factories.ts'
import { textBomb } from '../helpers/images.ts'
import { useApp } from '../helpers/use-app.ts'
import { basic } from '../http/app-on.ts'
import { createImage, redImage } from '../media/stored-images.ts'

const PASSWORD = 'correct horse'
/** CPU time of this process, because wall-clock time depends on the load. Decompressing all texts of one bomb takes ten seconds. */
const SOON_S = 5

describe('uploads of decompression bombs', () => {
  const app = useApp()

  it('do not delay pictures and logins of other callers, and are stored as small pictures', async () => {
    const { db, services, create, as } = app
    const { key } = await createImage({ db, services }, { issue_id: await create.issue() })
    const ada = await create.user({ password_hash: await hashPassword(PASSWORD) })
    const bomb = new Uint8Array(textBomb(await redImage().toBuffer()))
    const form = (fields: Record<string, string>, name: string) => {
      const body = new FormData()
      for (const [field, value] of Object.entries(fields)) body.append(field, value)
      body.append(name, new Blob([bomb]))
      return body
    }
    const account = (n: number) => ({ name: `Bomber ${n}`, email: `b${n}@example.org`, accept_terms: 'true', ...passwords })
    const passwords = { password: PASSWORD, password_confirmation: PASSWORD }
    const spot = { lat: String(GREEN.lat), lng: String(GREEN.lng), address: '1 Elm St', request_type_id: 'other' }
    const report = form({ ...spot, 'answers[summary]': 'Bench' }, 'answers[issue_image]')
    const began = process.cpuUsage()
    const spent = () => {
      const { user, system } = process.cpuUsage(began)
      return (user + system) / 1e6
    }
    const took = async <Answer>(answer: Promise<Answer>) => ({ answer: await answer, seconds: spent() })

    const bombs = [
      ...Array.from({ length: 3 }, (_, n) =>
        as.anonymous.send('POST', '/api/v2/users', { body: form(account(n), 'uploaded_data') }),
      ),
      ...Array.from({ length: 4 }, () => as.user(ada).send('POST', '/api/v2/issues', { body: report })),
    ]
    const image = await took(as.anonymous.send('GET', `/files/${key}`))
    const login = await took(as.anonymous.send('GET', '/api/v2/profile', { headers: basic(ada.email, PASSWORD) }))
    const statuses = (await Promise.all(bombs)).map(({ status }) => status)

    expect([image.answer.status, login.answer.status]).toEqual([200, 200])
    expect(Math.max(image.seconds, login.seconds)).toBeLessThan(SOON_S)
    expect(spent()).toBeLessThan(2 * SOON_S)
    expect([...new Set(statuses.slice(0, 3))]).toEqual([201])
    expect(statuses.slice(3).every((status) => status === 201 || status === 202)).toBe(true)
  })
})
