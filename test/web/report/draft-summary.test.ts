import { describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { sendMultipart } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { redImage } from '../../media/stored-images.ts'

const app = useApp()
/** The number of drafts of an address is limited. */
const visitor = () => createBrowser(app.fastify, { address: '198.51.100.77' })
const picture = async () => new File([new Uint8Array(await redImage().toBuffer())], 'a.png', { type: 'image/png' })

describe('the page of a draft', () => {
  it('shows the names of choices, small pictures and the time of the place, as the published page does', async () => {
    const browser = visitor()
    const denver = { lat: '39.7392', lng: '-104.9903' }
    const type = await app.create.requestType({
      title: 'Pothole',
      organization: await app.create.organization({ name: 'Public Works', around: { lat: 39.7392, lng: -104.9903 } }),
      questions: [
        { question: 'How wide is it?', question_type: 'select', select_values: [{ key: 'like-a-plate', name: 'Like a plate' }] },
        { question: 'Since when?', question_type: 'datetime' },
        { question: 'Is it wet?', question_type: 'boolean' },
        { question: 'What does it look like?', question_type: 'file' },
      ],
    })
    const [width, seen, wet, look] = await app.db.prisma.requestTypeQuestion.findMany({ orderBy: { position: 'asc' } })
    await sendMultipart(browser, '/report', {
      ...{ address: '1 Elm Street', 'answers[summary]': 'Deep pothole' },
      ...{ ...denver, request_type_id: String(type), [`answers[${width?.id}]`]: 'like-a-plate', [`answers[${wet?.id}]`]: 'true' },
      ...{
        [`answers[${seen?.id}]`]: '2026-01-05T20:30',
        [`zone[${seen?.id}]`]: '+00:00',
        [`answers[${look?.id}]`]: await picture(),
      },
    })

    const { visibleText, text } = await browser.get('/report/draft')
    const small = await browser.get('/report/draft/pictures/1')

    expect(visibleText).toContain('Pothole Public Works receives this report.')
    expect(visibleText).toContain('How wide is it? Like a plate Since when? Jan 5, 2026, 1:30 PM MST Is it wet? Yes')
    expect(text).not.toContain('like-a-plate')
    expect(visibleText).toMatch(/It is deleted on \w{3} \d+, 20\d\d, \d+:\d\d [AP]M M[SD]T unless/)
    expect(visibleText).toContain('Discard it if you share this device.')
    expect(text).toContain('<img src="/report/draft/pictures/1" width="100" height="100" alt="Picture 1">')
    expect([small.status, small.headers['content-type'], small.headers['cache-control']]).toEqual([
      200,
      'image/jpeg',
      'private, no-store',
    ])
    expect((await visitor().get('/report/draft/pictures/1')).status).toBe(404)
    expect((await browser.get('/report/draft/pictures/2')).status).toBe(404)
  })
})
