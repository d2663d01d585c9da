import { describe, expect, test } from 'vitest'

import { FAR_AWAY } from '../helpers/given.ts'
import { useApp } from '../helpers/use-app.ts'

describe('GET /places/:url_name/report', () => {
  const it = useApp()
  const report = () => it.as.nobody.send('GET', '/places/new-haven/report')

  test('shows what is on offer in the middle of the place, with its questions, and always something else', async () => {
    await it.given.place({ name: 'New Haven', url_name: 'new-haven' })
    const works = await it.given.organization({ name: 'Public Works' })
    const elsewhere = await it.given.organization({ name: 'Elsewhere', around: FAR_AWAY })
    await it.given.requestType({ title: 'Not here', organization: elsewhere })
    await it.given.requestType({
      title: 'Pothole',
      organization: works,
      questions: [
        { question: 'How deep is it?', question_type: 'number', response_required: true, answer_kept_private: true },
        { question: 'Where on the road?', question_type: 'select', select_values: [{ key: 'l', name: 'On the left' }] },
        { question: 'We fill holes in a week.', question_type: 'note' },
      ],
    })

    const { status, text } = await report()

    const words = text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    expect(status).toBe(200)
    expect(words).toContain('Report a problem in New Haven')
    expect(words).toMatch(/Public Works Pothole How deep is it\? a number · required · only the organisation sees the answer/)
    expect(words).toContain('Where on the road? one of these · optional On the left')
    expect(words).toContain('We fill holes in a week. a note to read')
    expect(words).toMatch(/The community .* Other What is the problem\? a short text · required/)
    expect(words).not.toContain('Not here')
  })

  test('says what can be asked of the API already, and that nothing can be sent yet', async () => {
    await it.given.place({ url_name: 'new-haven' })

    const { text } = await report()

    expect(text).toContain('This page cannot send a report yet')
    expect(text).not.toContain('curl -u')
    expect(text).toMatch(/curl '[^']*\/api\/v2\/issues\/new\?lat=[\d.-]+&amp;lng=[\d.-]+'/)
  })

  test('shows titles, questions and choices as text, whatever is in them', async () => {
    await it.given.place({ url_name: 'new-haven' })
    const mark = '<script>alert(1)</script>'
    const question = { question: mark, question_type: 'select', select_values: [{ key: 'k', name: mark }] }
    await it.given.requestType({ title: mark, questions: [question] })

    expect((await report()).text).not.toContain('<script')
  })

  test('is 404 for an unknown place', async () => {
    expect((await report()).status).toBe(404)
  })
})
