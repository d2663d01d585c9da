import { describe, expect, it } from 'vitest'

import { deleteDraftsThatExpired } from '../../../src/reporting/drafts/draft-queries.ts'
import { useApp } from '../../helpers/use-app.ts'
import { readLinkToken } from '../../notifications/mail-worker.ts'
import { createDraftMails } from './draft-mails.ts'
import { createDrafts } from './drafts.ts'

const app = useApp()
const { visitor, requestMail, openLink, receive } = createDraftMails(app)
const { withPicture } = createDrafts(app)

const pathsIn = (html = '') => [...html.matchAll(/src="https?:\/\/[^/]+(\/report\/drafts\/[^"]+)"/g)].map(([, path]) => path ?? '')

describe('the pictures of a mail about a draft', () => {
  it('are a map and the first picture at signed addresses, which give nothing else', async () => {
    const browser = await withPicture()
    await requestMail(browser)
    const [mail] = await receive()
    const paths = pathsIn(mail?.html)

    const pictures = await Promise.all(paths.map((path) => visitor().get(path)))
    const wrong = [
      await visitor().get((paths[1] ?? '').replace(/signature=.*/, 'signature=x')),
      await visitor().get((paths[1] ?? '').replace('/1?', '/2?')),
      await visitor().get((paths[0] ?? '').replace('/map?', '/1?')),
    ]

    expect(pictures.map(({ status, headers }) => [status, headers['content-type'], headers['cache-control']])).toEqual([
      [200, 'image/png', 'private, max-age=300'],
      [200, 'image/jpeg', 'private, no-store'],
    ])
    expect(wrong.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  it('end at an address that was corrected, also when they were replaced', async () => {
    const browser = await withPicture()
    await requestMail(browser, 'wrong@example.org')
    const wrong = await receive()
    await requestMail(browser)
    await withPicture(browser)
    const right = await receive()
    const open = ([mail]: Awaited<ReturnType<typeof receive>>) =>
      Promise.all(pathsIn(mail?.html).map(async (path) => (await visitor().get(path)).status))

    expect(await open(wrong)).toEqual([404, 404])
    expect(await open(right)).toEqual([200, 200])
  })

  it('become those of the issue when it is published, unless it is held', async () => {
    const browser = await withPicture()
    await requestMail(browser)
    const [mail] = await receive()
    const paths = pathsIn(mail?.html)
    const token = readLinkToken(mail ?? { text: '' })
    const version = /name="version" value="([^"]*)"/.exec((await openLink(visitor(), token)).text)?.[1] ?? ''
    await visitor().post('/report/draft/open/publish', { token, version })
    await app.db.prisma.reportDraftLink.updateMany({ data: { expires_at: new Date(Date.now() - 1_000) } })
    await deleteDraftsThatExpired(app.db, new Date())

    const published = await Promise.all(paths.map((path) => visitor().get(path)))
    const { full_key } = await app.db.prisma.medium.findFirstOrThrow()
    await app.db.prisma.issue.updateMany({ data: { moderation_state: 'held' } })
    const held = await Promise.all(paths.map((path) => visitor().get(path)))

    expect(published.map(({ headers }) => headers['location'])).toEqual(['/issues/1/map.png', `/files/${full_key}`])
    expect(held.map(({ status }) => status)).toEqual([404, 404])
  })
})
