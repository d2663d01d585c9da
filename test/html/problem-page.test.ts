import { describe, expect, it } from 'vitest'

import { useApp } from '../helpers/use-app.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

const app = useApp({ keepRows: true })

describe('errors outside the API', () => {
  const get = (url: string, accept?: string) =>
    app.as.anonymous.send('GET', url, { headers: accept === undefined ? {} : { accept } })

  it('returns an HTML page with a next step to browsers', async () => {
    const { status, headers, text } = await get('/no/such/page', BROWSER)

    expect(status).toBe(404)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(text).toContain('<h1>Page not found</h1>')
    expect(text).toContain('find <a href="/places">a place</a>')
    expect(text).toContain(String(headers['x-request-id']))
    expect(text).toContain('noindex')
  })

  it.each([
    ['nothing said', undefined],
    ['anything', '*/*'],
    ['JSON', 'application/json'],
    ['JSON rather than HTML', 'text/html;q=0.5, application/json'],
    ['neither', 'image/png'],
  ])('returns JSON for Accept: %s', async (_, accept) => {
    const { status, body } = await get('/no/such/page', accept)

    expect(status).toBe(404)
    expect(body).toMatchObject({ message: 'This address was not found.' })
  })

  it('varies by the Accept header', async () => {
    expect((await get('/no/such/page', BROWSER)).headers.vary).toContain('Accept')
    expect((await get('/no/such/page', 'application/json')).headers.vary).toContain('Accept')
  })

  it('lists the allowed methods of a page', async () => {
    const { status, headers, text } = await app.as.anonymous.send('POST', '/places', { headers: { accept: BROWSER } })

    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
    expect(text).toContain('<h1>This page cannot be opened this way</h1>')
  })

  it('escapes the request URL', async () => {
    const { text } = await get('/places?page=%3Cscript%3E', BROWSER)

    expect(text).not.toContain('<script')
  })
})

describe('errors of the API', () => {
  it('returns JSON to browsers too', async () => {
    const { status, headers } = await app.as.anonymous.get('/issues/999', { accept: BROWSER })

    expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
  })
})

describe('error page language', () => {
  it.each([
    ['es-MX', 'es', '<h1>Página no encontrada</h1>', 'Esta dirección no se ha encontrado.', 'Saltar al contenido'],
    ['fr', 'fr', '<h1>Page introuvable</h1>', 'Cette adresse est introuvable.', 'Aller au contenu'],
  ])('uses one language for the whole page: %s', async (acceptLanguage, language, ...texts) => {
    const headers = { accept: BROWSER, 'accept-language': acceptLanguage }
    const answer = await app.as.anonymous.send('GET', '/no/such/page', { headers })

    expect(answer.headers).toMatchObject({ 'content-language': language, vary: expect.stringContaining('Accept-Language') })
    expect(answer.text).toContain(`<html lang="${language}">`)
    expect(texts.filter((text) => !answer.text.includes(text))).toEqual([])
    expect(answer.text).not.toMatch(/The address|Log in|API reference|Skip/)
  })
})

describe('form validation errors', () => {
  const ask = (language: string) =>
    app.as.anonymous.send('POST', '/register', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': language },
      body: 'name=A&password=secret',
    })

  it('are shown in the language of the page', async () => {
    const { status, text } = await ask('es')

    expect(status).toBe(422)
    expect(text).toContain('<html lang="es">')
    expect(text).toContain('id="field-name-error">Debe ser un texto de 3 a 40 caracteres.</p>')
    expect(text).toContain(
      'id="field-email-error">Es obligatorio: una dirección de correo con un dominio completo, como nombre@example.org.</p>',
    )
    expect(text).toContain('id="field-accept_terms-error">Es obligatorio.</p>')
  })

  it('match the text of the page for English users', async () => {
    const { text } = await ask('en-GB')

    expect(text).toContain('id="field-name-error">Must be a text of 3 to 40 characters.</p>')
    expect(text).not.toContain('-error" lang=')
  })
})
