import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { svgToPng } from '../../src/images/svg-to-png.ts'
import { GREEN } from '../helpers/factories.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

const getMap = (id: number | string, headers: Record<string, string> = {}) =>
  app.fastify.inject({ method: 'GET', url: `/issues/${id}/map.png`, headers: { 'user-agent': 'Mozilla/5.0', ...headers } })

describe('GET /issues/:id/map.png', () => {
  it('draws the neighbourhood of a public issue as a PNG that may be cached for minutes', async () => {
    await app.create.place({ name: 'New Haven' })
    const id = await app.create.issue({ at: GREEN })
    await app.create.issue({ at: { lng: GREEN.lng + 0.002, lat: GREEN.lat }, status: 'Closed' })

    const answer = await getMap(id)

    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'image/png'])
    expect(answer.headers['cache-control']).toBe('public, max-age=300')
    const { data, info } = await sharp(await pngFile(answer.rawPayload))
      .raw()
      .toBuffer({ resolveWithObject: true })
    const colours = new Set<string>()
    for (let at = 0; at < data.length; at += info.channels) colours.add(data.subarray(at, at + 3).toString('hex'))
    expect(info.width).toBe(720)
    for (const colour of ['e7ece4', '0b6176', 'ffffff']) expect(colours).toContain(colour)
  })

  it('returns 304 while nothing near the issue changes', async () => {
    const id = await app.create.issue({ at: GREEN })
    const first = await getMap(id)

    const again = await getMap(id, { 'if-none-match': String(first.headers['etag']) })
    await app.create.issue({ at: { lng: GREEN.lng + 0.001, lat: GREEN.lat } })
    const changed = await getMap(id, { 'if-none-match': String(first.headers['etag']) })

    expect([first.statusCode, again.statusCode, changed.statusCode]).toEqual([200, 304, 200])
  })

  it('does not exist for issues that are not public', async () => {
    const [held, rejected] = [
      await app.create.issue({ moderation_state: 'held' }),
      await app.create.issue({ moderation_state: 'rejected' }),
    ]

    const statuses = [await getMap(held), await getMap(rejected), await getMap(999_999), await getMap('x')]

    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404])
  })
})

it('SVG files stay blocked, so that no upload is read as SVG', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'

  await expect(svgToPng(svg, '#fff')).resolves.toBeInstanceOf(Buffer)
  await expect(sharp(await svgFile(svg)).metadata()).rejects.toThrow()
})

const pngFile = (content: Buffer) => writeTemporary('map.png', content)
const svgFile = (content: string) => writeTemporary('image.svg', Buffer.from(content))

async function writeTemporary(name: string, content: Buffer): Promise<string> {
  const path = join(createTemporaryFolder(), name)
  await writeFile(path, content)
  return path
}
