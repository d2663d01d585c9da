import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { hashPassword } from '../helpers/hash-password.ts'
import { type Browser, createBrowser } from '../helpers/browser.ts'
import { imagesWithMetadata } from '../helpers/images.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const PASSWORD = 'correct horse'
let ada: { id: number; email: string; token: string }
let browser: Browser

beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park', password_hash: await hashPassword(PASSWORD) })
  browser = createBrowser(app.fastify)
})

const logIn = (one = browser, password = PASSWORD) => one.post('/login', { email: ada.email, password })

describe('/login', () => {
  it('redirects to return_to, but only within the site', async () => {
    const leadsTo = async (return_to: string) => {
      const { headers } = await createBrowser(app.fastify).post('/login', { email: ada.email, password: PASSWORD, return_to })
      return headers['location']
    }

    expect(await leadsTo('/report?lat=1&lng=2')).toBe('/report?lat=1&lng=2')
    const elsewhere = [
      '//elsewhere.example',
      'https://elsewhere.example',
      '/\\elsewhere.example',
      '/.//elsewhere.example',
      '/\t/e.example',
      'x',
    ]
    for (const path of elsewhere) expect([path, await leadsTo(path)]).toEqual([path, '/'])
  })

  it.each([
    ['the password is wrong', () => ({ email: ada.email, password: 'another secret' })],
    ['there is no such account', () => ({ email: 'unknown@example.org', password: PASSWORD })],
    ['the address can be none', () => ({ email: 'ada\0@example.org', password: PASSWORD })],
  ])('shows the same message if %s, with the address but without the password', async (_, createInput) => {
    const answer = await browser.post('/login', createInput())

    expect(answer.status).toBe(422)
    expect(answer.visibleText).toContain('The e-mail address or the password is wrong. Check both and try again.')
    expect(answer.text).toContain('name="email" type="email"')
    expect(answer.text).not.toContain(createInput().password)
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers['cache-control']).toBe('private, no-store')
  })

  it('marks required fields', async () => {
    const { status, text } = await browser.post('/login', { email: '', password: '' })

    expect(status).toBe(422)
    expect(text).toContain('<p class="field-error" id="field-email-error">Is required.</p>')
    expect(text).toContain('<p class="field-error" id="field-password-error">Is required.</p>')
  })

  it('links to the password reset once', async () => {
    expect((await createBrowser(app.fastify).get('/login')).text.match(/password\/forgot/g)).toHaveLength(1)
  })

  it('redirects logged-in users', async () => {
    await logIn()

    expect((await browser.get('/login?return_to=/places')).headers['location']).toBe('/places')
  })
})

describe('/register', () => {
  const input = {
    name: 'Cleo Hill',
    email: 'cleo@example.org',
    password: 'battery staple',
    accept_terms: 'true',
    return_to: '/report',
  }

  it('creates the account, logs in, and reports the confirmation mail', async () => {
    const answer = await browser.post('/register', input)
    const page = await browser.get(String(answer.headers['location']))

    expect(answer.status).toBe(303)
    expect(page.visibleText).toContain('You are logged in, and a mail was sent to your address.')
    expect(page.visibleText).toMatch(/Cleo Hill .*My reports/)
    expect(page.text).toContain('<a class="button primary" href="/report">Continue</a>')
    expect(
      await queryRows(app.db, sql`SELECT e.email, e.confirmed_at FROM email_addresses e WHERE e.email = 'cleo@example.org'`),
    ).toEqual([{ email: 'cleo@example.org', confirmed_at: null }])
  })

  it('shows all validation errors and the input except the passwords', async () => {
    const bad = { ...input, name: 'C', email: 'nowhere', password: 'abc', accept_terms: '' }
    const { status, text } = await browser.post('/register', bad)

    expect(status).toBe(422)
    expect(text).toMatch(/id="field-name-error">Must be a text of 3 to 40 characters\./)
    expect(text).toMatch(/id="field-email-error">Must be an e-mail address with a full domain/)
    expect(text).toMatch(/id="field-password-error">Must be a text of 8 to 64 characters\./)
    expect(text).toMatch(/id="field-accept_terms-error">Is required\./)
    expect(text).toContain('value="nowhere"')
    expect(text).not.toContain('abc')
  })

  it('shows an error for a taken address', async () => {
    const taken = await browser.post('/register', { ...input, email: ada.email })

    expect(taken.text).toMatch(/id="field-email-error">Cannot be added: use another address, or log in if this one is yours\./)
  })
})

describe('/account', () => {
  it('has a page for each section, and a menu that marks the current one', async () => {
    await logIn()
    const sections = 'reports following watch-areas invitations account language emails mails password tokens data webhooks'
    const paths = sections.split(' ').map((section) => (section === 'account' ? '/account' : `/account/${section}`))

    const pages = []
    for (const path of paths) pages.push((await browser.get(path)).text)

    const menu = (page: string) => /<nav class="sections"[^]*?<\/nav>/.exec(page)?.[0] ?? ''
    expect(pages.map((page) => [...menu(page).matchAll(/<li><a href="([^"]*)"/g)].map(([, href]) => href))).toEqual(
      paths.map(() => paths),
    )
    expect(pages.map((page) => /href="([^"]*)" aria-current="page"/.exec(menu(page))?.[1])).toEqual(paths)
    expect(pages.map((page) => page.match(/<h1>/g)?.length)).toEqual(paths.map(() => 1))
  })

  it('redirects to the login on GET and POST without a session', async () => {
    expect((await browser.get('/account')).headers['location']).toBe('/login?return_to=%2Faccount')
    expect((await browser.post('/account/password', {})).headers['location']).toBe('/login?return_to=%2Faccount')
  })

  it('saves name, home place and share_location, and the language of mails in a section of its own', async () => {
    await app.create.place({ url_name: 'new-haven', name: 'New Haven' })
    await logIn()

    const saved = await browser.post('/account', {
      name: 'Ada Hill',
      place_url_name: 'new-haven',
      share_location: 'true',
    })
    const page = await browser.get(String(saved.headers['location']))
    const bad = await browser.post('/account', { name: 'A', place_url_name: '' })
    const language = await browser.post('/account/language', { locale: 'pt-BR' })
    const badLanguages = [
      await browser.post('/account/language', { locale: 'xx-' }),
      await browser.post('/account/language', { locale: '' }),
    ]

    expect(page.visibleText).toContain('Saved.')
    expect(page.text).toContain('value="Ada Hill"')
    expect(page.text).toContain('<option value="new-haven" selected>New Haven</option>')
    expect(page.text).toMatch(/name="share_location" value="true" checked/)
    expect(bad.status).toBe(422)
    expect(bad.text).toMatch(/id="field-name-error"/)
    expect(language.headers['location']).toBe('/account/language?done=saved')
    expect(badLanguages.map(({ status }) => status)).toEqual([422, 422])
    for (const { text } of badLanguages) expect(text).toMatch(/id="field-locale-error"/)
    expect(await queryRows(app.db, sql`SELECT u.name, u.locale, u.share_location FROM users u WHERE u.id = ${ada.id}`)).toEqual([
      { name: 'Ada Hill', locale: 'pt-BR', share_location: true },
    ])
  })

  it('offers the languages of mails by name, and keeps the region of a locale', async () => {
    await app.db.prisma.user.update({ where: { id: ada.id }, data: { locale: 'es-MX' } })
    await logIn()

    const { text } = await browser.get('/account/language')

    expect(
      [...text.matchAll(/<option value="([^"]+)"( selected)?>([^<]+)/g)].map(([, value, selected, name]) => [
        value,
        name,
        Boolean(selected),
      ]),
    ).toEqual([
      ['en', 'English', false],
      ['es-MX', 'Español', true],
      ['fr', 'Français', false],
    ])
  })

  it('changes the password, revokes other sessions and tokens, and stays logged in', async () => {
    const other = createBrowser(app.fastify)
    await logIn()
    await logIn(other)
    const change = (current_password: string) => browser.post('/account/password', { current_password, password: 'battery staple' })

    const wrong = await change('wrong')
    const right = await change(PASSWORD)

    expect([wrong.status, right.status]).toEqual([422, 303])
    expect(wrong.text).toMatch(/id="field-current_password-error">Must be your current password/)
    expect((await browser.get('/account')).status).toBe(200)
    expect((await other.get('/account')).status).toBe(303)
    expect((await app.as.anonymous.get('/profile', { authorization: `Bearer ${ada.token}` })).status).toBe(401)
    expect((await logIn(other)).status).toBe(422)
    expect((await logIn(other, 'battery staple')).status).toBe(303)
  })

  it('ignores password and email in the settings form', async () => {
    await logIn()
    const settings = { name: 'Ada Hill' }
    const more = { password: 'battery staple', email: 'third@example.org' }

    await browser.post('/account', { ...settings, ...more })

    expect((await logIn(createBrowser(app.fastify))).status).toBe(303)
    expect(await app.db.prisma.emailAddress.count()).toBe(1)
  })

  it('adds and deletes addresses, and resends the confirmation mail', async () => {
    await logIn()
    const added = await browser.post('/account/emails', { email: 'second@example.org' })
    const page = await browser.get('/account/emails')
    const [second] = await queryRows<{ id: number }>(
      app.db,
      sql`SELECT e.id FROM email_addresses e WHERE e.email = 'second@example.org'`,
    )
    const again = await browser.post(`/account/emails/${second?.id}/confirmation`)
    const bad = await browser.post('/account/emails', { email: 'nowhere' })
    const last = await browser.post('/account/emails/1/delete')
    const removed = await browser.post(`/account/emails/${second?.id}/delete`)

    expect([added, again, removed].map(({ headers }) => headers['location'])).toEqual([
      '/account/emails?done=mailed',
      '/account/emails?done=mailed',
      '/account/emails?done=removed',
    ])
    expect(page.visibleText).toContain('second@example.org not confirmed yet')
    expect(bad.text).toMatch(/id="field-email-error">Must be an e-mail address with a full domain/)
    expect(last.visibleText).toContain('The last confirmed address of an account cannot be deleted')
    expect(
      await queryRows(app.db, sql`SELECT e.email FROM email_addresses e WHERE e.removed_at IS NULL AND e.user_id = ${ada.id}`),
    ).toEqual([{ email: ada.email }])
  })

  it('neither shows nor changes the data of other users', async () => {
    const ben = await app.create.user({ name: 'Ben Stone' })
    await logIn()
    const [theirs] = await queryRows<{ id: number }>(app.db, sql`SELECT t.id FROM tokens t WHERE t.user_id = ${ben.id}`)
    await browser.post(`/account/tokens/${theirs?.id}/delete`)

    expect((await browser.get('/account/emails')).text).not.toContain(ben.email)
    expect(await queryRows(app.db, sql`SELECT t.id FROM tokens t WHERE t.user_id = ${ben.id}`)).toHaveLength(1)
  })

  it('lists and deletes API tokens, without the sessions', async () => {
    await logIn()
    const before = await browser.get('/account/tokens')
    const [token] = await queryRows<{ id: number }>(
      app.db,
      sql`SELECT t.id FROM tokens t WHERE t.user_id = ${ada.id} AND t.kind = 'token'`,
    )

    await browser.post(`/account/tokens/${token?.id}/delete`)

    expect(before.text.match(/action="\/account\/tokens\/\d+\/delete"/g)).toHaveLength(1)
    expect((await browser.get('/account/tokens')).visibleText).toContain('There are no tokens yet.')
  })

  it('saves and deletes a picture, and keeps it if an upload is invalid', async () => {
    await logIn()
    const [jpeg] = await imagesWithMetadata()
    const image = () =>
      queryRows<{ avatar_full: string | null }>(app.db, sql`SELECT u.avatar_full FROM users u WHERE u.id = ${ada.id}`)
    const send = async (file: File) => {
      const form = new FormData()
      form.append('uploaded_data', file)
      const request = new Request('http://fixpoint.test', { method: 'POST', body: form })
      const headers = { 'content-type': request.headers.get('content-type') ?? '', 'sec-fetch-site': 'same-origin' }
      return browser.send('POST', '/account/picture', { payload: Buffer.from(await request.arrayBuffer()), headers })
    }

    const taken = await send(new File([new Uint8Array(jpeg?.bytes ?? [])], 'me.jpg'))
    const [first] = await image()
    const none = await send(new File([], ''))
    const wrong = await send(new File(['no picture'], 'me.jpg'))
    const large = await send(new File([new Uint8Array(20 * 1024 * 1024 + 1)], 'me.jpg'))
    const [unchanged] = await image()
    await browser.post('/account/picture/delete')

    expect([taken, none, wrong, large].map(({ status }) => status)).toEqual([303, 422, 422, 422])
    expect(large.text).toMatch(/id="field-uploaded_data-error">“me\.jpg” is larger than 20 MB: choose a smaller picture\./)
    expect(first?.avatar_full).toMatch(/^pictures\//)
    expect(unchanged).toEqual(first)
    expect(none.text).toMatch(/id="field-uploaded_data-error"/)
    expect(await image()).toEqual([{ avatar_full: null }])
  })
})
