import { beforeAll, describe, expect, it } from 'vitest'

import type { TestUser } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp({ keepRows: true })
let ada: TestUser
let issue: number

beforeAll(async () => {
  ada = await app.create.user({ name: 'Ada Park', locale: 'fr' })
  issue = await app.create.issue({ reporter: ada })
})

const message = (text: string) => ({
  message: text,
  documentation_url: 'http://fixpoint.test/docs',
  request_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
})
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.as.user(ada).send('POST', `/api/v2${path}`, { body, headers })

describe('the language of an error text', () => {
  const ask = (language?: string) =>
    app.as.anonymous.get('/places/none', language === undefined ? {} : { 'accept-language': language })
  const english = 'The place was not found.'
  const spanish = 'El lugar no se ha encontrado.'
  const french = 'Le lieu est introuvable.'

  it.each([
    ['English without Accept-Language', undefined, 'en', english],
    ['of the header', 'es', 'es', spanish],
    ['of a region', 'fr-CA', 'fr', french],
    ['of a region in numbers', 'es-419', 'es', spanish],
    ['in capitals', 'ES-mx', 'es', spanish],
    ['with the highest quality', 'en;q=0.4, fr;q=0.9, es;q=0.5', 'fr', french],
    ['that is first among equals', 'es, fr', 'es', spanish],
    ['that follows an unsupported one', 'de-CH, fr;q=0.2', 'fr', french],
    ['English for any language', '*', 'en', english],
    ['Spanish for any language but English', 'en;q=0, *;q=0.5', 'es', spanish],
    ['English if none is supported', 'de, pt-BR;q=0.8', 'en', english],
    ['English if the only supported one is refused', 'es;q=0', 'en', english],
    ['English if the header is invalid', ';;q=,,x y;q=z', 'en', english],
    ['English if the header is empty', '', 'en', english],
  ])('is the language %s', async (_, header, language, text) => {
    const { status, headers, body } = await ask(header)

    expect([status, headers['content-language'], headers['vary']]).toEqual([
      404,
      language,
      'Authorization, Cookie, Accept, Accept-Language',
    ])
    expect(body).toEqual(message(text))
  })

  it('ignores the locale of the account, which is unknown when credentials are refused', async () => {
    const { headers, body } = await app.as.user(ada).get('/places/none')

    expect([headers['content-language'], body]).toEqual(['en', message(english)])
  })

  it('changes no successful answer without translations, which names the language', async () => {
    const answers = await Promise.all(
      ['en', 'es', 'fr'].map((language) => app.as.anonymous.get(`/issues/${issue}`, { 'accept-language': language })),
    )

    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.map(({ headers }) => headers['content-language'])).toEqual(['en', 'es', 'fr'])
  })
})

describe('every shape of an error response', () => {
  it.each([
    ['es', { page: 'debe ser un entero', sort: 'debe ser uno de updated_at, created_at, rating, distance' }],
    [
      'fr',
      {
        page: 'doit être un entier',
        sort: 'doit être l’une des valeurs updated_at, created_at, rating, distance',
      },
    ],
  ])('is written in %s: a flat map of fields', async (language, body) => {
    const answer = await app.as.anonymous.get('/issues?page=x&sort=age', { 'accept-language': language })

    expect(answer).toMatchObject({ status: 422, body, headers: { 'content-language': language } })
  })

  it.each([
    ['es', { lat: ['debe ser un número de -90 a 90, en grados'], address: ['no debe estar en blanco'] }],
    ['fr', { lat: ['doit être un nombre de -90 à 90, en degrés'], address: ['ne doit pas être vide'] }],
  ])('is written in %s: lists of texts under errors', async (language, errors) => {
    const answer = await post('/issues', { lat: 91, lng: 0, request_type_id: 'other' }, { 'accept-language': language })

    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ errors })
  })

  it.each([
    ['es', { base: 'No has votado por este reporte.' }],
    ['fr', { base: 'Vous n’avez pas voté pour ce signalement.' }],
  ])('is written in %s: an error of the whole request', async (language, body) => {
    const answer = await app.as
      .user(ada)
      .send('DELETE', `/api/v2/issues/${issue}/vote`, { headers: { 'accept-language': language } })

    expect([answer.status, answer.body]).toEqual([422, body])
  })

  it.each([
    ['es', { request: 'El cuerpo no es JSON válido.' }],
    ['fr', { request: 'Le corps n’est pas du JSON valide.' }],
  ])('is written in %s: a body that cannot be read', async (language, body) => {
    const headers = { 'content-type': 'application/json', 'accept-language': language }

    expect(await post('/tokens', '{', headers)).toMatchObject({ status: 400, body })
  })

  it.each([
    ['es', 'Las credenciales no son correctas: revísalas e inténtalo de nuevo.'],
    ['fr', 'Les identifiants sont incorrects : vérifiez-les et réessayez.'],
  ])('is written in %s: a message, with its headers', async (language, text) => {
    const answer = await app.as.anonymous.get('/issues', { authorization: 'Bearer wrong', 'accept-language': language })

    expect([answer.status, answer.body]).toEqual([401, message(text)])
    expect(answer.headers['www-authenticate']).toContain('Bearer realm="fixpoint"')
  })

  it('is written in English for OAuth, which allows ASCII only', async () => {
    const answer = await app.as.anonymous.send('POST', '/api/v2/oauth/token', {
      headers: { ...form, 'accept-language': 'es' },
      body: 'grant_type=code',
    })

    expect(answer.body).toEqual({ error: 'unsupported_grant_type', error_description: 'The only grant_type is password.' })
  })
})

describe('values and languages', () => {
  it('returns values unchanged, also if they look like a message', async () => {
    const answer = await post('/tokens', 'must not be blank[x]=1&must not be blank=2', { ...form, 'accept-language': 'es' })

    expect(answer.body).toEqual({ request: 'El formulario usa el mismo nombre para un valor y un grupo: must not be blank.' })
  })

  it('replays the first response in its original language', async () => {
    const ask = (language: string) => post('/emails', { email: 'no' }, { 'idempotency-key': 'one', 'accept-language': language })

    const first = await ask('es')
    const again = await ask('fr')

    expect(first.body).toEqual({ email: 'debe ser una dirección de correo' })
    expect(again).toMatchObject({
      status: 422,
      body: first.body,
      headers: { 'content-language': 'es', 'idempotency-replayed': 'true' },
    })
  })
})
