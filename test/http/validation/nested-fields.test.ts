import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { nestFields } from '../../../src/http/validation/bodies.ts'

const read = (text: string) => nestFields(new URLSearchParams(text))

describe('nestFields', () => {
  it.each([
    ['one by one', 'a=1&b=2', { a: '1', b: '2' }],
    ['in groups', 'answers[summary]=Pothole&answers[description]=Deep', { answers: { summary: 'Pothole', description: 'Deep' } }],
    ['with numbers as keys', 'answers[12]=x&answers[3]=y', { answers: { 12: 'x', 3: 'y' } }],
    ['in a list of one', 'answers[12][]=x', { answers: { 12: ['x'] } }],
    ['in a list of many', 'answers[12][]=x&answers[12][]=y', { answers: { 12: ['x', 'y'] } }],
    ['repeated, as a list', 'a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['percent-encoded, the brackets too', 'answers%5B12%5D%5B%5D=a+b%26c', { answers: { 12: ['a b&c'] } }],
    ['without a value', 'a&b=', { a: '', b: '' }],
    [
      'with brackets that do not match, as they stand',
      'a[b=1&c]=2&d[[e]]=3&[f]=4&g[]h=5',
      { 'a[b': '1', 'c]': '2', 'd[[e]]': '3', '[f]': '4', 'g[]h': '5' },
    ],
    ['unchanged if nested too deeply', 'a[b][c][d][e][f]=1', { 'a[b][c][d][e][f]': '1' }],
    ['without prototype keys', '__proto__[x]=1&a[__proto__]=2&constructor[prototype][x]=3&b=4', { b: '4' }],
  ])('reads %s', (_, text, fields) => {
    expect(read(text)).toEqual(fields)
  })

  it.each(['a=1&a[b]=2', 'a[]=1&a[b]=2', 'a[b]=1&a[b][c]=2', 'a[b]=1&a=2'])(
    'refuses a name that is both a value and a group: %s',
    (text) => {
      expect(() => read(text)).toThrow('The form uses the same name for a value and a group: ')
    },
  )

  it('accepts at most 1,000 fields', () => {
    expect(() => read('a=1&'.repeat(1_000))).not.toThrow()
    expect(() => read('a=1&'.repeat(1_001))).toThrow('The form has more than 1000 fields.')
  })

  it('restores the object that the fields were made from', () => {
    const key = fc.stringMatching(/^[a-z0-9]{1,5}$/)
    const value = fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 1, maxLength: 4 }))
    const toFields = (name: string, value: unknown): [string, unknown][] => {
      if (typeof value === 'string') return [[name, value]]
      if (Array.isArray(value)) return value.map((one) => [`${name}[]`, one] as [string, unknown])
      return Object.entries(value as object).flatMap(([inner, one]) => toFields(`${name}[${inner}]`, one))
    }

    fc.assert(
      fc.property(fc.dictionary(key, fc.oneof(value, fc.dictionary(key, value, { minKeys: 1 }))), (object) => {
        const fields = Object.entries(object).flatMap(([name, value]) => toFields(name, value))
        expect(nestFields(fields)).toEqual({ ...object })
      }),
    )
  })
})
