import { describe, expect, it } from 'vitest'

import { findReviewReasons, type Submission } from '../../src/content-policy/policy.ts'

const now = new Date('2026-11-20T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

const reasons = (changes: Partial<Submission>) =>
  findReviewReasons({
    texts: ['Pothole at the crossing'],
    locale: 'en',
    authorCreatedAt: hoursAgo(1),
    now,
    duplicateCount: 0,
    organizationReviewsAll: false,
    ...changes,
  })
const reasonsFor = (text: string, changes: Partial<Submission> = {}) => reasons({ texts: ['fine', text], ...changes })

describe('findReviewReasons', () => {
  it.each([
    'Dog poop and cigarette butts all over the playground',
    'A Nazi sign on the wall of the pawn shop, corner of Dyke Rd and Cox Ave',
    'The flange of the hydrant is bloody loose. It smells like hell, damn!',
    'Corner of 5th St.in front of the bank. Since 12.5.2026, e.g. every night; write to ada@example.org',
    'Scunthorpe: the grass in the class garden',
    'Light is out.call me.Next to the bank on 5th St.NE, Atlanta.GA; see video.mov. Fixed.today?',
    'Пропал люк на улице Fuchsova, 10 μm слой, 5 kΩ; ο δρόμος έχει λακκούβα',
    'Ein Schlagloch, Straße ist gesperrt 🕳️👩‍🔧. Año nuevo, niño',
  ])('returns no reason for ordinary reports: %s', (text) => {
    expect(reasonsFor(text)).toEqual([])
  })

  it.each([
    ['What a FUCKING mess', 'en'],
    ['What a ｆｕｃｋｉｎｇ mess', 'en'],
    ['What a fu\u200Bck\u00ADing mess', 'en'],
    ['What a fu\u2060c\uFE0Fk\u{E0061}ing mess', 'en'],
    ['What a f\u0336u\u0336c\u0336king mess', 'en'],
    ['What a fuсking mess', 'en'],
    ['What a fυcκing mess', 'en'],
    ['BАSТАRD', 'en'],
    ['Bache de mierda', 'es'],
    ['Bache de miеrda', 'es'],
    ['Bache de mierda', 'es-MX'],
    ['fuck, dit-il', 'fr'],
    ['asshole, in a language without a list', 'xx'],
  ])('finds blocked words of the language, and English ones in every language: %s (%s)', (text, locale) => {
    expect(reasonsFor(text, { locale })).toEqual(['words'])
  })

  it('finds a foreign word in its own language only', () => {
    expect(reasonsFor('The sign says: mierda', { locale: 'en' })).toEqual([])
  })

  it.each([
    'see https://example.org/x',
    'buy at www.pills.com',
    'cheap-roofs.com calls back',
    '//pills.shop',
    'evil.click',
    'www.evil.zip',
    'Www.evil.city now',
    'http://evil.mov',
    'evil．com',
    'evil。top',
    'ev\u200Bil.c\u00ADom',
    'evil.соm',
    'xn--e1awd7f.xyz',
    'evil.xn--p1ai',
    'evil.co.uk',
    'ｗｗｗ.evil.zip',
  ])('finds a link of an account younger than a day, but not of an older one: %s', (text) => {
    expect(reasonsFor(text)).toEqual(['links-of-a-new-account'])
    expect(reasonsFor(text, { authorCreatedAt: hoursAgo(24) })).toEqual([])
  })

  it('finds three links, counted over all texts, for every account', () => {
    const old = { authorCreatedAt: hoursAgo(1_000) }

    expect(reasonsFor('a.com b.com', old)).toEqual([])
    expect(reasons({ texts: ['a.com b.com', 'https://c.org'], ...old })).toEqual(['links'])
  })

  it('finds the third identical text, texts for an organisation that reviews everything, and texts marked as offensive', () => {
    expect(reasons({ duplicateCount: 1 })).toEqual([])
    expect(reasons({ duplicateCount: 2 })).toEqual(['repeated'])
    expect(reasons({ organizationReviewsAll: true })).toEqual(['organization'])
    expect(reasons({ isMarkedOffensive: true })).toEqual(['said-to-be-offensive'])
  })

  it('returns every reason that applies', () => {
    expect(reasonsFor('fuck a.com b.com c.com', { duplicateCount: 5, organizationReviewsAll: true })).toEqual([
      'words',
      'links',
      'links-of-a-new-account',
      'repeated',
      'organization',
    ])
  })
})
