import { describe, expect, it } from 'vitest'
import { languages, textsIn } from '../../src/locales/texts.ts'
import { composeMail } from '../../src/notifications/templates/layout.ts'
import { accountMails } from '../../src/notifications/account-mails.ts'

const content = {
  emailAddress: 'o\'<b>"hara&sons@example.org',
  url: 'https://fixpoint.test/emails/confirm?token=abcdefghijklmnopqrstuvwx',
  unsubscribeLink: 'https://fixpoint.test/unsubscribe?token=n.abcdefghijklmnop.abcdefghijklmnop',
  changedEmailAddress: 'new.address@example.org',
  mayRevert: true,
  mayResetPassword: true,
  isRemoved: false,
}
const all = Object.entries(accountMails).flatMap(([type, { compose }]) =>
  languages.map((language) => ({
    type,
    language,
    ...composeMail(language, compose(textsIn(language), content), 'https://fixpoint.test'),
  })),
)

describe('the texts of mails', () => {
  it.each(all)('have the same content as text and as HTML: $type in $language', ({ subject, text, html, language }) => {
    expect(subject).not.toBe('')
    expect(text).toContain(`\n${content.url}\n`)
    expect(text.replaceAll(/\s+/g, ' ')).toContain(content.emailAddress)
    expect(html).toContain(`<html lang="${language}">`)
    expect(html).toContain(`href="${content.url}"`)
    expect(html).not.toContain('<b>')
    expect(html).toContain('&lt;b&gt;')
    expect(html).toContain('prefers-color-scheme: dark')
  })

  it.each(all)('have lines that need no wrapping and a footer: $type in $language', ({ text, language }) => {
    expect(text.split('\n').filter((line) => line.length > 76)).toEqual([])
    const colon = language === 'fr' ? ' :' : ':'
    expect(text).toContain(`\n-- \nFixpoint${colon} https://fixpoint.test\n`)
    expect(text).toContain(`${colon}\n${content.url}\n`)
  })

  it.each(languages)('explain only to an untrusted address that it cannot reset the password: in %s', (language) => {
    const types = ['user.email_added', 'user.password_changed', 'user.email_change_reverted'] as const
    const said = (changed: object) =>
      types.map((type) =>
        /\b72\b/.test(composeMail(language, accountMails[type].compose(textsIn(language), { ...content, ...changed }), '').text),
      )

    expect(said({ mayRevert: false, mayResetPassword: false })).toEqual([true, true, true])
    expect(said({ mayRevert: false })).toEqual([false, false, false])
    expect(said({ mayRevert: false, mayResetPassword: false, isRemoved: true })).toEqual([false, false, false])
  })

  it('differ between languages', () => {
    expect(new Set(all.map(({ type, text }) => `${type === 'email.confirmation_requested'} ${text}`)).size).toBe(all.length)
  })
})
