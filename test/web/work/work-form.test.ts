import sharp from 'sharp'
import { beforeEach, describe, expect, it } from 'vitest'

import type { Browser } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { createLoggedInBrowser, sendMultipart } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
let [roads, lamp, fresh, lit] = [0, 0, 0, 0]
let ella: Browser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Denver Roads', around: GREEN })
  lamp = await app.create.requestType({ organization: roads, title: 'Street light' })
  const pothole = await app.create.requestType({ organization: roads, title: 'Pothole' })
  fresh = await app.create.issue({ request_type: pothole, summary: 'New hole', created_at: '2026-03-01T10:00:00Z' })
  lit = await app.create.issue({ request_type: lamp, summary: 'Dark lamp', created_at: '2026-02-01T10:00:00Z' })
  ella = await createLoggedInBrowser(app, await app.create.user({ name: 'Ella Reyes', memberOf: [{ organization: roads }] }))
})

const find = (id: number) => app.db.prisma.issue.findUniqueOrThrow({ where: { id } })
const post = (fields: Readonly<Record<string, string>>, ids: readonly number[]) =>
  ella.post('/work', [
    ...Object.entries(fields),
    ...ids.flatMap((id): [string, string][] => [
      ['issue', String(id)],
      [`version_${id}`, '1'],
    ]),
  ])

describe('the form of the list of staff', () => {
  it('keeps what was typed if no issue is selected, and names the error in the form', async () => {
    const sent = { action: 'close', outcome: 'passed_on', comment: 'The utility comes.' }

    const { status, text, visibleText } = await ella.post('/work', sent)

    expect(status).toBe(422)
    expect(visibleText).toContain('Select at least one issue in the list.')
    expect(text).toContain('value="The utility comes."')
    expect(text).toContain('<option value="passed_on" selected>')
    expect((await find(lit)).status).toBe('Open')
  })

  it('asks for the receiver of a closing that is passed on, keeps the selection, and then closes', async () => {
    const fields = { action: 'close', outcome: 'passed_on' }

    const { status, text } = await post(fields, [fresh, lit])
    await post({ ...fields, passed_on_to: 'State Roads' }, [fresh, lit])

    expect([status, text.match(/name="issue" value="\d+" checked/g)?.length]).toEqual([422, 2])
    expect(text).toContain('id="field-passed_on_to-error"')
    expect(await find(lit)).toMatchObject({ status: 'Closed', outcome: 'passed_on' })
    expect((await ella.get(`/issues/${lit}`)).visibleText).toContain('State Roads')
    expect((await find(fresh)).status).toBe('Closed')
  })

  it('attaches a picture to the answer to one issue, and to no other number of issues', async () => {
    const image = new File(
      [
        await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
          .jpeg()
          .toBuffer(),
      ],
      'a.jpg',
    )
    const send = (ids: readonly number[]) =>
      sendMultipart(ella, '/work', [
        ['action', 'close'],
        ['outcome', 'fixed'],
        ['image', image],
        ...ids.flatMap((id): [string, string][] => [
          ['issue', String(id)],
          [`version_${id}`, '1'],
        ]),
      ])

    const refused = await send([fresh, lit])
    const { status } = await send([lit])

    expect(refused.visibleText).toContain('Belongs to one issue: select only that one.')
    expect((await find(fresh)).status).toBe('Open')
    expect([status, (await find(lit)).status]).toEqual([303, 'Closed'])
    expect((await app.as.anonymous.get(`/issues/${lit}`)).body).toMatchObject({
      comments: [{ media: { image_full: expect.stringContaining('/files/') } }],
    })
    expect((await ella.get('/work')).text).toContain('capture="environment"')
  })

  it('closes with a prepared answer of the type, and leaves an issue of another type', async () => {
    const { id } = await app.db.prisma.responseTemplate.create({
      data: {
        ...{ organization_id: roads, title: 'Lamp replaced', texts: { en: 'The lamp is new.' }, statuses: [], outcome: 'fixed' },
        ...{ request_type_ids: [lamp], position: 0, created_at: new Date(), updated_at: new Date() },
      },
    })

    const { headers } = await post({ action: 'close', outcome: `template-${id}` }, [lit, fresh])

    expect((await ella.get('/work')).text).toContain(`<option value="template-${id}">Lamp replaced</option>`)
    expect(headers.location).toBe(`/work?done=close&count=1&refused=${fresh}`)
    expect(await find(lit)).toMatchObject({ status: 'Closed', outcome: 'fixed' })
    expect(await app.db.prisma.comment.findFirst({ where: { issue_id: lit } })).toMatchObject({ comment: 'The lamp is new.' })
  })

  it('offers issues to an organisation whose area covers them', async () => {
    const utility = await app.create.organization({ name: 'Denver Light', around: GREEN })
    await app.create.requestType({ organization: utility, title: 'Lamp' })

    const missing = await post({ action: 'transfer', organization_id: '' }, [fresh, lit])
    const { headers } = await post({ action: 'transfer', organization_id: String(utility) }, [fresh, lit])

    expect([missing.status, missing.text.includes('id="field-receiver-error"')]).toEqual([422, true])
    expect(missing.text).toContain(`<option value="${utility}">Denver Light</option>`)
    expect(headers.location).toBe('/work?done=transfer&count=2')
    expect(await app.db.prisma.issueTransfer.count({ where: { to_id: utility, state: 'offered' } })).toBe(2)
  })
})
