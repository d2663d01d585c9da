import { describe, expect, it } from 'vitest'

import { urlsFrom } from '../../src/http/request/urls.ts'
import { createLinks, toHttpUrl } from '../../src/html/links.ts'

describe('createLinks', () => {
  const root = createLinks(urlsFrom(() => 'https://fix.example'))
  const deeper = createLinks(urlsFrom(() => 'https://city.example/fix'))

  it('returns paths without scheme and host', () => {
    expect(root.to('/places/denver')).toBe('/places/denver')
    expect(root.relative('https://fix.example/api/v2/issues/1')).toBe('/api/v2/issues/1')
  })

  it('includes the path prefix of PUBLIC_URL', () => {
    expect(deeper.to('/places')).toBe('/fix/places')
    expect(deeper.relative('https://city.example/fix/issues/1')).toBe('/fix/issues/1')
  })

  it('leaves external URLs unchanged', () => {
    expect(root.relative('https://fix.example.org/picture.png')).toBe('https://fix.example.org/picture.png')
  })

  it('encodes parameters and leaves out undefined ones', () => {
    expect(root.to('/places', { search: 'a&b "c"', page: 2, status: undefined })).toBe('/places?search=a%26b+%22c%22&page=2')
  })

  it.each([
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
  ])('allows only http and https links: %j: %s', (url, isLink) => {
    expect(toHttpUrl(url)).toBe(isLink ? url : null)
  })
})
