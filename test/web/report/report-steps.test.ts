import { describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { FAR_AWAY, GREEN } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`
const read = (url: string) => createBrowser(app.fastify).get(url)

it('the choice of the type says where the receivers stand', async () => {
  const { visibleText } = await read(`/report?${at}`)

  expect(visibleText).toContain('Choose what the problem is. The heading of each group says who receives the report.')
})

it('the steps have names, one for the choice of the type and another for its questions', async () => {
  const [place, type, details] = await Promise.all([read('/report'), read(`/report?${at}`), read(`/report?${at}&type=other`)])

  expect(place.visibleText).toContain('Step 1 of 3: the place')
  expect(type.visibleText).toContain('Step 2 of 3: what it is about')
  expect(details.visibleText).toContain('Step 2 of 3: what is wrong')
})

it('from a view of the whole country, the choice of the city comes first, and the search for an address finds it', async () => {
  await app.create.place({ url_name: 'new-haven', name: 'New Haven' })
  await app.create.issue({ at: GREEN, address: '250 Church St' })
  const far = await read('/report?view=3/38/-97')
  const near = await read(`/report?view=15/${GREEN.lat}/${GREEN.lng}`)
  const found = await read('/report?view=3/38/-97&address=new+hav')

  expect(far.visibleText).toContain('Choose your city, search for the address, or zoom in to your street.')
  expect(near.visibleText).toContain('Where is it?')
  const isListFirst = ({ text }: typeof far) => text.indexOf('aria-label="Report in a place"') < text.indexOf('data-photos')
  expect([far, near].map(isListFirst)).toEqual([true, false])
  expect(found.text).toMatch(/id="addresses"[^>]*><p><a href="\/places\/new-haven\/report">New Haven/)
})

describe('GET /places/:url_name/report', () => {
  it('lists the request types at the centre with their questions, and asks for the position', async () => {
    await app.create.place({ url_name: 'new-haven', name: 'New Haven' })
    const works = await app.create.organization({ name: 'Public Works' })
    const elsewhere = await app.create.organization({ name: 'Elsewhere', around: FAR_AWAY })
    await app.create.requestType({ title: 'Not here', organization: elsewhere })
    await app.create.requestType({
      title: 'Pothole',
      organization: works,
      questions: [
        { question: 'How deep is it?', question_type: 'number', response_required: true, answer_kept_private: true },
        { question: 'Where on the road?', question_type: 'select', select_values: [{ key: 'l', name: 'On the left' }] },
        { question: 'We fill holes in a week.', question_type: 'note' },
      ],
    })

    const { status, visibleText, text } = await read('/places/new-haven/report')

    expect(status).toBe(200)
    expect(visibleText).toContain('Report a problem in New Haven Where is it?')
    expect(visibleText).toMatch(/Public Works Pothole How deep is it\? a number · required · only the organisation sees the answer/)
    expect(visibleText).toContain('Where on the road? one of these · optional On the left')
    expect(visibleText).toContain('We fill holes in a week. a note to read')
    expect(visibleText).toMatch(/The community .* Other What is the problem\? a short text · required/)
    expect(visibleText).not.toContain('Not here')
    expect(text).toContain('<form method="get" action="/places/new-haven/report" id="point" data-point novalidate>')
  })

  it('escapes titles, questions and choices', async () => {
    await app.create.place({ url_name: 'new-haven' })
    const mark = '<script>alert(1)</script>'
    const question = { question: mark, question_type: 'select', select_values: [{ key: 'k', name: mark }] }
    await app.create.requestType({ title: mark, questions: [question] })

    expect((await read('/places/new-haven/report')).text).not.toContain('<script>')
    expect((await read(`/report?${at}`)).text).not.toContain('<script>')
  })

  it('returns 404 for an unknown place', async () => {
    expect((await read('/places/nowhere/report')).status).toBe(404)
  })
})

describe('GET /report', () => {
  it('asks for the point first, and names its validation errors', async () => {
    const { visibleText, text, headers } = await read('/report?lat=91&lng=x')

    expect(visibleText).toContain('Must be a number from -90 to 90, in degrees.')
    expect(visibleText).toContain('Must be a number from -180 to 180, in degrees.')
    expect(text).toContain('name="lat" type="text" value="91"')
    expect(headers['content-security-policy']).toMatch(/script-src 'self'; connect-src 'self'; worker-src 'self'$/)
    expect((await read((/src="([^"]+report-page\.ts)"/.exec(text) ?? [])[1] ?? '')).status).toBe(200)
  })

  it('has a drawn map, places and a closed section with numbers without scripts', async () => {
    await app.create.place({ url_name: 'new-haven', name: 'New Haven' })

    const { text } = await read('/report')

    expect(text).toMatch(/<noscript><form class="drawn-point" method="get" action="\/report#map"/)
    expect(text).toContain('<a href="/places/new-haven/report">New Haven</a>')
    expect(text).toMatch(/<details>\s*<summary>Enter coordinates<\/summary>/)
    expect(text).toMatch(/<section class="photos" data-photos aria-label="[^"]+" hidden( data-[^>]*)>/)
  })

  it('lists the request types at the point, and always other', async () => {
    const type = await app.create.requestType({ title: 'Lost cat' })

    const { text } = await read(`/report?${at}`)

    expect(text).toContain(`<a href="/report?lat=41.3083&amp;lng=-72.9279&amp;type=${type}"><img`)
    expect(text).toContain('<a href="/report?lat=41.3083&amp;lng=-72.9279&amp;type=other"><img')
  })

  it('has an icon for each type, and names the emergency call', async () => {
    await app.create.requestType({ title: 'Deep hole', category: 'pothole' })

    const { text, visibleText } = await read(`/report?${at}`)

    expect(text).toMatch(
      /<a href="[^"]+"[^>]*><img src="\/files\/icons\/pothole\.svg" width="24" height="24" alt=""> Deep hole<\/a>/,
    )
    expect(visibleText).toContain('In danger? Call your emergency number; a report is not read at once.')
  })

  it('says that a point outside of all places and organisations reaches no organisation', async () => {
    const outside = 'No place of this service covers this point, so your report reaches no organisation.'
    await app.create.place({ url_name: 'new-haven' })
    await app.create.requestType({ title: 'Lost cat', organization: null })
    const farAway = `/report?lat=${FAR_AWAY.lat}&lng=${FAR_AWAY.lng}`
    const nowhere = await read(farAway)
    const form = await read(`${farAway}&type=other`)
    await app.create.requestType({ organization: await app.create.organization({ name: 'Works', around: FAR_AWAY }) })

    const inPlace = await read(`/report?${at}`)
    const inArea = await read(farAway)
    const formInArea = await read(`${farAway}&type=other`)

    expect(nowhere.status).toBe(200)
    expect(nowhere.visibleText).toContain(outside)
    expect(form.visibleText).toContain(outside)
    expect(inPlace.visibleText).not.toContain(outside)
    expect(inArea.visibleText).not.toContain(outside)
    expect(formInArea.visibleText).not.toContain(outside)
  })

  it('shows the questions without a login, and says when it follows', async () => {
    const { status, visibleText } = await read(`/report?${at}&type=other`)

    expect(status).toBe(200)
    expect(visibleText).toContain('Your e-mail address is the last step. You need no account.')
  })
})
