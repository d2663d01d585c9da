import { baltimore } from './baltimore.ts'
import type { City } from './city.ts'
import { denver } from './denver.ts'
import { newOrleans } from './new-orleans.ts'
import { philadelphia } from './philadelphia.ts'
import { richmond } from './richmond.ts'
import { sanFrancisco } from './san-francisco.ts'
import { stLouis } from './st-louis.ts'
import { washington } from './washington.ts'

export const cities: readonly City[] = [sanFrancisco, denver, philadelphia, washington, newOrleans, baltimore, stLouis, richmond]

export const states: readonly { fips: string; name: string; urlName: string; code: string }[] = [
  { fips: '06', name: 'California', urlName: 'california', code: 'CA' },
  { fips: '08', name: 'Colorado', urlName: 'colorado', code: 'CO' },
  { fips: '42', name: 'Pennsylvania', urlName: 'pennsylvania', code: 'PA' },
  // The District of Columbia has the boundary of its only city.
  { fips: '11001', name: 'District of Columbia', urlName: 'district-of-columbia', code: 'DC' },
  { fips: '22', name: 'Louisiana', urlName: 'louisiana', code: 'LA' },
  { fips: '24', name: 'Maryland', urlName: 'maryland', code: 'MD' },
  { fips: '29', name: 'Missouri', urlName: 'missouri', code: 'MO' },
  { fips: '51', name: 'Virginia', urlName: 'virginia', code: 'VA' },
]
