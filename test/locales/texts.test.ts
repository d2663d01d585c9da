import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { inLanguage, inPlainWords, languageOf, languages, readMessages, text, textsIn } from '../../src/locales/texts.ts'
import { valuesOf } from '../../.ci/check-texts.ts'
import { richText } from '../../src/html/rich-text.ts'
import { html } from '../../src/html/template.ts'

describe('a text in plain words', () => {
  it('names no parameters, also in the texts that it contains', () => {
    expect(inPlainWords(text('must_be', { allowed: text('integer') }), 'en')).toBe('must be a whole number')
    expect(inPlainWords(text('is_blank'), 'es')).toBe('no debe estar en blanco')
  })

  it('has the code and no other values than the text of the API', () => {
    const messages = readMessages('en')
    const plain = [...messages.keys()].filter((key) => key.startsWith('plain.'))

    for (const key of plain) expect(messages.has(key.replace('plain.', 'errors.'))).toBe(true)
    for (const key of plain)
      expect(valuesOf(messages.get(key.replace('plain.', 'errors.')) ?? '')).toEqual(
        expect.arrayContaining(valuesOf(messages.get(key) ?? '')),
      )
  })
})

it('a mail is “courriel” in every French text, also in its addresses', () => {
  expect([...readMessages('fr').values()].filter((message) => /e-mail/i.test(message))).toEqual([])
})

describe('a text', () => {
  it.each([
    ['is the message of its code', text('is_blank'), 'must not be blank', 'no debe estar en blanco'],
    [
      'keeps what was filled in',
      text('unknown_names', { names: "7, {x}, <b>, '{y}'\nz" }),
      "contains unknown values: 7, {x}, <b>, '{y}'\nz",
      "contiene valores desconocidos: 7, {x}, <b>, '{y}'\nz",
    ],
    [
      'writes numbers as its readers do',
      text('too_many_positions', { max: 10_000 }),
      'must have at most 10,000 positions',
      'debe tener 10.000 posiciones como máximo',
    ],
    [
      'keeps the sign of a number',
      text('must_be', { allowed: text('number_between', { min: -90, max: 90 }) }),
      'must be a number from -90 to 90',
      'debe ser un número de -90 a 90',
    ],
    [
      'has texts within texts',
      text('is_required_as', { allowed: text('email_address') }),
      'is required: an e-mail address',
      'es obligatorio: una dirección de correo',
    ],
    [
      'knows one from many',
      text('too_many_requests', { seconds: 1 }),
      'Too many requests: try again in 1 second.',
      'Demasiadas peticiones: inténtalo de nuevo dentro de 1 segundo.',
    ],
    [
      'knows many from one',
      text('too_many_requests', { seconds: 3_600 }),
      'Too many requests: try again in 3600 seconds.',
      'Demasiadas peticiones: inténtalo de nuevo dentro de 3600 segundos.',
    ],
  ])('%s', (_, message, english, spanish) => {
    expect(inLanguage(message, 'en')).toBe(english)
    expect(inLanguage(message, 'es')).toBe(spanish)
  })

  it('requires a known code', () => {
    // @ts-expect-error the code is unknown
    text('is_purple')
  })
})

describe('the texts of a language', () => {
  const french = textsIn('fr')

  it('are formatted with the plural of the language', () => {
    expect([0, 1, 2].map((count) => french('map.issues', { count }))).toEqual(['0 signalement', '1 signalement', '2 signalements'])
  })

  it('have lists and sections', () => {
    expect(french.list('mails.draftLink.intro', { name: 'Ada' })).toHaveLength(3)
    expect(french.section('questionList.subsets')).toEqual({ all: 'Toutes', answered: 'Avec réponse', unanswered: 'Sans réponse' })
  })

  it('require every value', () => {
    expect(() => french('map.issues')).toThrow('count')
  })

  it('have HTML in tags and values, and escape everything else', () => {
    const link = (name: string) => html`<a href="/">${name}</a>`

    const found = richText(textsIn('en'), 'questionList.none', { city: '<Denver>', ask: link, place: link })

    expect(String(found)).toBe(
      'There are no questions about &lt;Denver&gt; yet. <a href="/">Ask the first question</a>, or <a href="/">see what is reported there</a>.',
    )
  })
})

describe('every language', () => {
  const english = readMessages('en')

  it.each(languages)(
    'ends sentences of errors with a period as English does, and texts after a field name without: %s',
    (language) => {
      const errors = [...readMessages(language)].filter(([key]) => key.startsWith('errors.'))

      expect(errors.filter(([key, message]) => message.endsWith('.') !== english.get(key)?.endsWith('.'))).toEqual([])
    },
  )

  it.each(languages.filter((language) => language !== 'en'))('has its own apostrophes and visible characters: %s', (language) => {
    expect([...readMessages(language)].filter(([, message]) => /['\uFFFD]/.test(message))).toEqual([])
  })

  it('is the one of a locale, or English', () => {
    expect(['es-MX', 'ES', 'fr_CA', 'zh-Hant-TW', 'est', ''].map(languageOf)).toEqual(['es', 'es', 'fr', 'en', 'en', 'en'])
  })
})

describe('a new file', () => {
  it('is a new language, with English for the messages that it lacks', () => {
    const root = join(import.meta.dirname, '..', '..')
    const folder = mkdtempSync(join(tmpdir(), 'locales-'))
    cpSync(join(root, 'src', 'locales'), folder, { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'de.json'), '{ "menu": { "map": "Karte" } }')
    // The child process prints what it has found.
    const code = `const { languages, textsIn } = await import('./texts.ts'); const texts = textsIn('de');
      console.log(JSON.stringify([languages, texts('menu.map'), texts('menu.questions')]))`

    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, encoding: 'utf8' })
    rmSync(folder, { recursive: true })

    expect(JSON.parse(stdout)).toEqual([['en', 'de', 'es', 'fr'], 'Karte', 'Questions'])
  })
})
