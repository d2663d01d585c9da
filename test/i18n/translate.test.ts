import { describe, expect, test } from 'vitest'

import { keysOf, translate } from '../../src/i18n/translate.ts'

describe('a text in another language', () => {
  test.each([
    ['is as it stands in the catalogue', 'must not be blank', 'no debe estar en blanco'],
    ['stays English where the catalogue does not have it', 'must be purple', 'must be purple'],
    ['keeps what was filled in', 'names what does not exist: 7, {x}, <b>', 'nombra lo que no existe: 7, {x}, <b>'],
    ['keeps lines that were filled in', 'names what does not exist: a\nb', 'nombra lo que no existe: a\nb'],
    ['writes numbers as its readers do', 'must not have more than 10,000 characters', 'no debe tener más de 10.000 caracteres'],
    ['keeps the sign of a number', 'must be a number from -90 to 90', 'debe ser un número de -90 a 90'],
    ['has texts within texts', 'is required: an e-mail address', 'es obligatorio: una dirección de correo'],
    ['is the one that says most of those that fit', 'is missing: it goes with zoom', 'falta: va con zoom'],
    [
      'finds several things that were filled in',
      'This issue is Archived: only an issue that is Open or Acknowledged can be closed.',
      'Este reporte está en el estado Archived: solo se puede cerrar uno que esté en Open o Acknowledged.',
    ],
  ])('%s', (_, text, spanish) => {
    expect(translate(text, 'es')).toBe(spanish)
    expect(translate(text, 'en')).toBe(text)
  })

  test('is not looked for within what a client sent', () => {
    expect(translate('names what does not exist: must not be blank', 'fr')).toBe('nomme ce qui n’existe pas : must not be blank')
    expect(keysOf('names what does not exist: must not be blank')).toEqual(['names what does not exist: {names}'])
  })

  test('is found soon, however long the text is that was filled in', () => {
    const names = 'goes with '.repeat(10_000)
    const started = performance.now()

    expect(translate(`is missing: it goes with ${names}`, 'es')).toBe(`falta: va con ${names}`)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
