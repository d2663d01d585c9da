import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { useApp } from '../../helpers/use-app.ts'
import { createDrafts } from './drafts.ts'

const app = useApp({ env: { DRAFT_LIMIT: '1001' } })
const { visitor, report, images } = createDrafts(app)

/** It takes about 300 kB. */
async function largePicture(): Promise<Record<string, File>> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const png = await sharp({ create: { width: 300, height: 300, channels: 3, background: 'white', noise } })
    .png()
    .toBuffer()
  return { 'answers[issue_image]': new File([new Uint8Array(png)], 'a.png', { type: 'image/png' }) }
}

/** Leaves less than 200 kB of the total, whether or not another test has used up its largest part. */
async function fillTotal(): Promise<void> {
  for (const [index, bytes] of [999_900_000, 700_000, 250_000].entries())
    await app.services.draftBytes.add(`198.51.100.3${index + 2}`, bytes).catch(() => undefined)
}

describe('the pictures of drafts', () => {
  it('are refused with 429 above 1,000 MB of a client address within an hour, and the form keeps its text', async () => {
    await app.services.draftBytes.add('198.51.100.20', 999_900_000)

    const refused = await report(visitor('198.51.100.20'), await largePicture())
    const other = await report(visitor('198.51.100.21'), await largePicture())
    const withoutPicture = await report(visitor('198.51.100.20'))

    expect([refused.status, other.status, withoutPicture.status]).toEqual([429, 303, 303])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000)
    expect(refused.visibleText).toContain(
      'Reports without a login from this address have more than 1,000 MB of pictures within an hour: log in before you report, send smaller pictures, or try again later.',
    )
    expect(refused.text).toContain('value="Deep pothole"')
    expect(await images()).toHaveLength(1)
  })

  it('are refused with 503 above the limit of all clients in a day, and count for no client then', async () => {
    await fillTotal()

    const refused = await report(visitor('198.51.100.31'), await largePicture())
    const withoutPicture = await report(visitor('198.51.100.31'))

    expect([refused.status, withoutPicture.status]).toEqual([503, 303])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(80_000)
    expect(refused.visibleText).toContain(
      'The service saves no more pictures of reports without a login today: log in before you report, report without a picture, or try again later.',
    )
    expect(refused.text).toContain('value="Deep pothole"')
    await expect(app.services.draftBytes.add('198.51.100.31', 50_000)).resolves.toBeUndefined()
  })
})
