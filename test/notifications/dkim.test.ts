import { createHash, createVerify, generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'

import { urlsFrom } from '../../src/http/request/urls.ts'
import { openMailer } from '../../src/mail/mailer.ts'
import { startSmtpServer } from './smtp-server.ts'

const relaxed = (header: string) => {
  const [name = '', value = ''] = header.split(/:([^]*)/)
  return `${name.toLowerCase().trim()}:${value.replaceAll(/\s+/g, ' ').trim()}`
}

it('DKIM_KEY signs mails for the domain of MAIL_FROM, with the headers of one-click unsubscribing', async () => {
  const { received, url } = await startSmtpServer()
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const dkimKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' })
  const mailFrom = 'City Hall <city@example.org>'
  const mailer = openMailer(
    { smtpUrl: url, mailFrom, dataDir: '.', dkimKey: String(dkimKey), dkimSelector: 'city' },
    urlsFrom(() => 'https://fix.example.org'),
  )
  const headers = { 'List-Unsubscribe': '<https://fix.example.org/u>', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }

  const { outcome } = await mailer.send({
    id: 'one',
    to: 'ada@example.net',
    subject: 'A  mail',
    text: 'Hello',
    html: '<p>Hello</p>',
    headers,
  })
  mailer.close()

  const [head = '', ...body] = (received[0]?.raw ?? '').split('\r\n\r\n')
  const lines = head.replaceAll(/\r\n\s+/g, ' ').split('\r\n')
  const signature = lines.find((line) => line.toLowerCase().startsWith('dkim-signature:')) ?? ''
  const tag = (name: string) => new RegExp(`[ ;:]${name}=([^;]*)`).exec(signature)?.[1]?.replaceAll(' ', '') ?? ''
  const signed = tag('h').toLowerCase().split(':')
  const text = signed.map((name) => lines.find((line) => line.toLowerCase().startsWith(`${name}:`)) ?? '').map(relaxed)
  const data = [...text, relaxed(signature.replace(/(; *b=)[^;]*/, '$1'))].join('\r\n')
  expect([outcome, tag('d'), tag('s')]).toEqual(['sent', 'example.org', 'city'])
  expect(signed).toEqual(expect.arrayContaining(['from', 'subject', 'list-unsubscribe', 'list-unsubscribe-post']))
  const canonical = `${body
    .join('\r\n\r\n')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ \r\n/g, '\r\n')
    .replace(/(\r\n)*$/, '')}\r\n`
  expect(tag('bh')).toBe(createHash('sha256').update(canonical).digest('base64'))
  expect(createVerify('RSA-SHA256').update(data).verify(keys.publicKey, tag('b'), 'base64')).toBe(true)
})
