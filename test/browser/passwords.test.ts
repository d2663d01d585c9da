import { describe, expect, it } from 'vitest'

import { hasChromium, skipped, useBrowser } from './chromium.ts'

describe.runIf(hasChromium)(`a password field in a browser${skipped}`, () => {
  const { app, open } = useBrowser()

  it('shows what is typed by a button, and the form registers without a repetition', async () => {
    const { page, complaints } = await open('/register')
    await page.getByLabel('Name').fill('Ada Park')
    await page.getByLabel('E-mail').fill('ada@example.org')
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('correct horse')

    await page.getByRole('button', { name: 'Show: Password' }).click()
    const shown = await password.getAttribute('type')
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Register' }).click()

    await page.waitForURL('**/register/done**')
    expect(shown).toBe('text')
    expect(await app.db.prisma.user.count({ where: { name: 'Ada Park' } })).toBe(1)
    expect(complaints).toEqual([])
  })
})
