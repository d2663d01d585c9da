import { describe, expect, it } from 'vitest'

import { formKeyIn } from '../../helpers/browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createDrafts, registration } from './drafts.ts'

const app = useApp()
const { visitor, report, picture, issues, draftCount } = createDrafts(app)
const FORM_KEY = 'k'.repeat(43)

describe('the form of a report that is sent again without the cookie of its draft', () => {
  it('is one draft with its last words and one picture, because the answer was lost', async () => {
    const [before, after] = [visitor(), visitor()]
    await report(before, { form_key: FORM_KEY, 'answers[issue_image]': await picture() })

    const again = await report(after, { form_key: FORM_KEY, 'answers[issue_image]': await picture() })
    const corrected = await report(visitor(), {
      ...{ form_key: FORM_KEY, 'answers[summary]': 'Two potholes' },
      'answers[issue_image]': await picture(),
    })

    expect([again, corrected].map(({ headers }) => headers['location'])).toEqual(['/report/draft', '/report/draft'])
    expect((await after.get('/report/draft')).visibleText).toContain('Two potholes')
    expect(await draftCount()).toBe(1)
    expect(await app.db.prisma.reportDraftImage.count()).toBe(1)
  })

  it('is another report once the first one is published', async () => {
    const browser = visitor()
    await report(browser, { form_key: FORM_KEY })
    await browser.post('/register', { ...registration, return_to: '/report/draft' })
    await browser.post('/report/draft/publish', { form_key: formKeyIn(await browser.get('/report/draft')) })

    const other = visitor()
    await report(other, { form_key: FORM_KEY, 'answers[summary]': 'Broken lamp' })

    expect((await other.get('/report/draft')).visibleText).toContain('Broken lamp')
    expect((await issues()).map(({ summary }) => summary)).toEqual(['Deep pothole'])
    expect(await draftCount()).toBe(1)
  })
})
