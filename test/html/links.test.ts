import { describe, expect, test } from 'vitest'

import { urlsFrom } from '../../src/http/request/urls.ts'
import { createLinks, toHttpUrl } from '../../src/html/links.ts'

describe('links of pages', () => {
  const root = createLinks(urlsFrom(() => 'https://fix.example'))
  const deeper = createLinks(urlsFrom(() => 'https://city.example/fix'))

  test('name neither scheme nor host, so that they work under every name of the service', () => {
    expect(root.to('/places/denver')).toBe('/places/denver')
    expect(root.relative('https://fix.example/api/v2/issues/1')).toBe('/api/v2/issues/1')
  })

  test('keep the path that PUBLIC_URL begins with', () => {
    expect(deeper.to('/places')).toBe('/fix/places')
    expect(deeper.relative('https://city.example/fix/issues/1')).toBe('/fix/issues/1')
  })

  test('leave addresses of others as they are', () => {
    expect(root.relative('https://fix.example.org/picture.png')).toBe('https://fix.example.org/picture.png')
  })

  test('encode parameters and leave out those that are not given', () => {
    expect(root.to('/places', { search: 'a&b "c"', page: 2, status: undefined })).toBe('/places?search=a%26b+%22c%22&page=2')
  })

  test.each([
    ['https://youtu.be/abc', true],
    ['http://example.org/', true],
    ['javascript:alert(1)', false],
    [' javascript:alert(1)', false],
    ['JaVaScRiPt:alert(1)', false],
    ['java\nscript:alert(1)', false],
    ['data:text/html,hello', false],
    ['vbscript:x', false],
    ['//example.org/', false],
    ['no address', false],
    ['', false],
  ])('of somebody else: %j is one: %s', (url, isLink) => {
    expect(toHttpUrl(url)).toBe(isLink ? url : null)
  })
})
