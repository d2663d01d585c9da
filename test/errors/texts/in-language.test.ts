import { describe, expect, it } from 'vitest'

import { inLanguage } from '../../../src/errors/texts/in-language.ts'
import { text } from '../../../src/errors/texts/text.ts'

describe('a text', () => {
  it.each([
    ['is the text of the catalogue', text('is_blank'), 'must not be blank', 'no debe estar en blanco'],
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

  it('requires a known code and all of its parameters', () => {
    // @ts-expect-error the code is unknown
    text('is_purple')
    // @ts-expect-error the number is missing
    text('too_many_words')
    // @ts-expect-error the number is a string
    text('too_many_words', { max: 'ten' })
    // @ts-expect-error the parameters are missing
    text('is_blank', { max: 10 })
  })
})
