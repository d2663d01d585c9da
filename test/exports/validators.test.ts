import { beforeEach, describe, expect, it } from 'vitest'

import { useApp } from '../helpers/use-app.ts'

const app = useApp()
const CSV = '/exports/issues.csv'
const get = (headers: Record<string, string> = {}, url = CSV) => app.as.anonymous.send('GET', url, { headers })
const etagOf = async (headers: Record<string, string> = {}) => String((await get(headers)).headers['etag'])

describe('the ETag of a whole download', () => {
  beforeEach(async () => {
    await app.create.issue({ summary: 'First hole' })
  })

  it.each(['csv', 'geojson', 'geojsonl', 'kml', 'fgb', 'parquet'])(
    'gets 304 for a file as %s with the same rows',
    async (format) => {
      const url = `/exports/issues.${format}`
      const first = await get({}, url)
      const again = await get({ 'if-none-match': String(first.headers['etag']) }, url)

      expect(again).toMatchObject({ status: 304, text: '', headers: { etag: first.headers['etag'], 'cache-control': 'no-store' } })
      expect(again.headers).toMatchObject({ link: first.headers['link'], vary: first.headers['vary'] })
      expect(again.headers).not.toHaveProperty('content-type')
    },
  )

  it('gets 304 for a compressed file, for HEAD and for a part', async () => {
    const etag = await etagOf({ 'accept-encoding': 'gzip' })
    const conditional = { 'if-none-match': `"another", ${etag}` }

    const answers = [
      await get({ ...conditional, 'accept-encoding': 'gzip' }),
      await app.as.anonymous.send('HEAD', CSV, { headers: conditional }),
      await get({ ...conditional, range: 'bytes=0-9' }),
    ]

    expect(answers.map(({ status, text, headers }) => [status, text, headers['etag']])).toEqual([
      [304, '', etag],
      [304, '', etag.slice(2)],
      [304, '', etag.slice(2)],
    ])
  })

  it('gets the new file at once if a row has changed, for HEAD and a part too', async () => {
    const conditional = { 'if-none-match': await etagOf() }
    await app.create.issue({ summary: 'Second hole' })

    const head = await app.as.anonymous.send('HEAD', CSV, { headers: conditional })
    const part = await get({ ...conditional, range: 'bytes=0-9' })
    const whole = await get(conditional)

    expect([head.status, part.status, whole.status]).toEqual([200, 206, 200])
    expect([head.headers['etag'], part.headers['etag']]).toEqual([whole.headers['etag'], whole.headers['etag']])
    expect(whole.text).toContain('Second hole')
  })

  it('gets 412 in If-Match if the file is another one, before anything else is compared', async () => {
    const etag = await etagOf()

    const wrong = await get({ 'if-match': '"another"', 'if-none-match': etag, range: 'bytes=9999999-' })
    const weak = await get({ 'if-match': `W/${etag}` })
    const right = [
      await get({ 'if-match': `"another", ${etag}` }),
      await get({ 'if-match': '*' }),
      await get({ 'if-match': etag, 'if-none-match': etag }),
    ]

    expect(wrong).toMatchObject({ status: 412, body: { message: 'The file has changed: request it without If-Match.' } })
    expect([weak.status, ...right.map(({ status }) => status)]).toEqual([412, 200, 200, 304])
  })

  it('gets a part of the earlier file by If-Match, as by If-Range', async () => {
    const first = await get()
    await app.create.issue({ summary: 'Second hole' })
    await get()

    const rest = await get({ range: 'bytes=50-', 'if-match': String(first.headers['etag']) })

    expect([rest.status, rest.text]).toEqual([206, first.text.slice(50)])
  })
})
