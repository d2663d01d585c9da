import { describe, expect, it } from 'vitest'

import { hashPassword } from '../../helpers/hash-password.ts'
import { useApp } from '../../helpers/use-app.ts'
import { readLinkToken } from '../../notifications/mail-worker.ts'
import { createDraftMails } from './draft-mails.ts'
import { createDrafts, EMAIL } from './drafts.ts'
import { createPublishing, NEW_ACCOUNT, PUBLISHED } from './publishing.ts'

const app = useApp()
const { visitor, withDraft, requestMail, openLink, open, receive, tokenOfMail } = createDraftMails(app)
const { createAda, report } = createDrafts(app)
const { hidden, publish, issues } = createPublishing(app)

describe('a report by e-mail alone', () => {
  it('belongs to the account that has confirmed the address, without a session', async () => {
    const { email } = await createAda()
    const browser = await withDraft()
    await requestMail(browser, email)
    const [mail] = await receive()
    const phone = visitor()

    const done = await publish(phone, readLinkToken(mail ?? { text: '' }))

    expect(done.text).toContain('href="/login?return_to=%2Faccount%2Freports"')
    expect(done.visibleText).not.toContain('Do you want a password?')
    expect(await issues()).toEqual([{ ...PUBLISHED, reporter: 'Ada Park', has_no_password: false, confirmed: [email] }])
    expect((await phone.get('/account')).headers['location']).toBe('/login?return_to=%2Faccount')
  })

  it('tells its sender nothing about the account of the address after its publication', async () => {
    const ada = await createAda()
    const pages = []
    for (const email of [ada.email, 'stranger@example.org']) {
      const sender = await withDraft()
      await requestMail(sender, email)
      const [mail] = await receive()
      await publish(visitor(), readLinkToken(mail ?? { text: '' }))
      pages.push((await sender.get('/report/draft')).text.replaceAll(/issues\/\d+|#\d+/g, ''))
    }

    expect(pages[0]).toContain('Your report is published.')
    expect(pages[0]).toBe(pages[1])
  })

  it('says under which name it will appear, in its mail and on each page before it is published', async () => {
    const ada = await createAda()
    const named = await withDraft()
    await requestMail(named, ada.email)
    const [toAda] = await receive()
    const unknown = await withDraft()
    const step = await unknown.get('/report/draft')
    await requestMail(unknown)
    const [toUnknown] = await receive()
    const hiding = visitor()
    await report(hiding, { anonymize_reporter: 'true' })
    await requestMail(hiding, 'third@example.org')
    const [toHiding] = await receive()

    const open = async (mail: { text: string } | undefined) =>
      (await openLink(visitor(), readLinkToken(mail ?? { text: '' }))).visibleText

    const general = 'The name of your account, or “Resident” if you have none'
    expect(step.visibleText).toContain(`Will appear under ${general}`)
    expect((await hiding.get('/report/draft')).visibleText).toContain('Will appear under An anonymous user')
    expect(await open(toAda)).toContain('Will appear under Ada Park')
    expect(await open(toUnknown)).toContain('Will appear under Resident')
    expect(await open(toHiding)).toContain('Will appear under An anonymous user')
    const texts = [toAda, toUnknown, toHiding].map((mail) => mail?.text.replaceAll(/\s+/g, ' '))
    for (const [index, name] of ['Ada Park', general, 'An anonymous user'].entries())
      expect(texts[index]).toContain(`It will appear under: ${name}`)
  })

  it('is not given to an account that only claims the address, and ends that claim', async () => {
    const mallory = await app.create.user({ name: 'Mallory' })
    await app.db.prisma.emailAddress.create({ data: { user_id: mallory.id, email: EMAIL } })

    await publish(visitor(), await tokenOfMail(await withDraft()))

    expect(await issues()).toEqual([{ ...PUBLISHED, ...NEW_ACCOUNT }])
    expect(await app.db.prisma.emailAddress.count({ where: { user_id: mallory.id, email: EMAIL } })).toBe(0)
  })

  it('is not published by an account that an administrator has disabled', async () => {
    const { id, email } = await createAda()
    const browser = await withDraft()
    await requestMail(browser, email)
    const [mail] = await receive()
    await app.db.prisma.user.update({ where: { id }, data: { disabled_at: new Date() } })

    const answer = await publish(visitor(), readLinkToken(mail ?? { text: '' }))

    expect([answer.status, answer.visibleText]).toEqual([403, expect.stringContaining('The account with this address is disabled')])
    expect(await issues()).toEqual([])
  })

  it('goes to an account that registered with the address and has its password, and asks for it before it ends that claim', async () => {
    const [ada, mallory] = [
      await app.create.user({ name: 'Ada Park', password_hash: await hashPassword('battery staple') }),
      await app.create.user({ name: 'Mallory', password_hash: await hashPassword('password of Mallory') }),
    ]
    await app.db.prisma.emailAddress.createMany({ data: [ada, mallory].map(({ id }) => ({ user_id: id, email: EMAIL })) })
    const token = await tokenOfMail(await withDraft())

    const page = await openLink(visitor(), token)
    const unasked = await publish(visitor(), token)
    const wrong = await publish(visitor(), token, { password: 'another password' })
    const before = await issues()
    const done = await publish(visitor(), token, { password: 'battery staple' })
    const logins = ['password of Mallory', 'battery staple'].map((password) => visitor().post('/login', { email: EMAIL, password }))

    for (const { visibleText } of [page, unasked]) expect(visibleText).toContain('An account was registered with this address')
    expect([unasked.status, wrong.status, before]).toEqual([422, 422, []])
    expect(unasked.visibleText).toContain('The report is not published yet: answer the question below first.')
    expect(wrong.visibleText).toContain('The password is wrong.')
    expect(done.visibleText).toContain('Your report is published.')
    expect(await issues()).toMatchObject([{ ...PUBLISHED, reporter: 'Ada Park', has_no_password: false }])
    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual([422, 303])
  })

  it('asks for the password of a claimed address on the page of the draft, too, in a browser that has opened the link', async () => {
    const ada = await app.create.user({ name: 'Ada Park', password_hash: await hashPassword('battery staple') })
    await app.db.prisma.emailAddress.create({ data: { user_id: ada.id, email: EMAIL } })
    const phone = visitor()
    await open(phone, await tokenOfMail(await withDraft()))

    const draft = await phone.get('/report/draft')
    const fields = { token: '', version: hidden(draft.text, 'version'), password: 'battery staple' }
    const answer = await phone.post('/report/draft/open/publish', fields)

    expect(draft.visibleText).toContain('Password of this account')
    expect(answer.headers['location']).toBe('/report/draft')
    expect(await issues()).toMatchObject([{ ...PUBLISHED, reporter: 'Ada Park', has_no_password: false }])
  })

  it('leaves an account without a password, which the page for registering leads to one', async () => {
    await publish(visitor(), await tokenOfMail(await withDraft()))
    const input = { name: 'Ada Park', password: 'battery staple', accept_terms: 'true' }

    const taken = await visitor().post('/register', { ...input, email: EMAIL })

    expect(taken.visibleText).toContain('Cannot be added: use another address')
    for (const { visibleText, text } of [taken, await visitor().get('/register')]) {
      expect(visibleText).toContain('You reported by e-mail and have no password yet? Get a link to set one')
      expect(text).toContain('<a href="/password/forgot">')
    }
  })

  it('gets a new account, and ends the claims, if the field for the password stays empty', async () => {
    const mallory = await app.create.user({ name: 'Mallory', password_hash: await hashPassword('password of Mallory') })
    await app.db.prisma.emailAddress.create({ data: { user_id: mallory.id, email: EMAIL } })

    await publish(visitor(), await tokenOfMail(await withDraft()), { password: '' })

    expect(await issues()).toEqual([{ ...PUBLISHED, ...NEW_ACCOUNT }])
    expect(await app.db.prisma.emailAddress.count({ where: { user_id: mallory.id, email: EMAIL } })).toBe(0)
  })

  it('is by a resident in the language of each reader, while the account has no other name', async () => {
    await publish(visitor(), await tokenOfMail(await withDraft()))
    const inLanguage = async (language: string) => {
      const reader = visitor()
      reader.jar.set('language', language)
      return (await reader.get('/issues/1')).visibleText
    }

    expect(await Promise.all(['en', 'es', 'fr'].map(inLanguage))).toEqual([
      expect.stringContaining('Reported by Resident '),
      expect.stringContaining('Reportado por Residente '),
      expect.stringContaining('Signalé par Habitant '),
    ])
    const { reporter_id } = await app.db.prisma.issue.findUniqueOrThrow({ where: { id: 1 } })
    const reader = visitor()
    reader.jar.set('language', 'fr')
    expect((await reader.get(`/users/${reporter_id}`)).text).toContain('<h1>Habitant</h1>')
  })
})
