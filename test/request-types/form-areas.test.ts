import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN, square } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

const titlesAt = async ({ lng, lat }: { lng: number; lat: number }) => {
  const { body } = await app.as.anonymous.get(`/issues/new?lat=${lat}&lng=${lng}`)
  return (body as { request_types: { title: string }[] }).request_types.map(({ title }) => title)
}

async function organizationIn(name: string, area: object): Promise<number> {
  const organization = await app.create.organization({ name })
  await app.db.execute(sql`
    UPDATE organizations SET area = ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON(${JSON.stringify(area)}), 4326)) WHERE id = ${organization}`)
  return app.create.requestType({ title: name, organization })
}

const ringOf = (size: number) => square(GREEN, size).coordinates[0] ?? []

describe('request types of an organisation in GET /issues/new', () => {
  it('are missing in a hole of its area and present on the edge of the hole', async () => {
    await organizationIn('Around', { type: 'Polygon', coordinates: [ringOf(0.1), ringOf(0.05).toReversed()] })

    expect(await titlesAt(GREEN)).toEqual(['Other'])
    expect(await titlesAt({ ...GREEN, lng: GREEN.lng + 0.07 })).toEqual(['Around', 'Other'])
    expect(await titlesAt({ ...GREEN, lng: GREEN.lng + 0.05 })).toEqual(['Around', 'Other'])
  })

  it('are listed with those of another organisation whose area overlaps', async () => {
    await organizationIn('City', square(GREEN, 0.1))
    await organizationIn('Park', square({ ...GREEN, lng: GREEN.lng + 0.1 }, 0.05))

    expect(await titlesAt({ ...GREEN, lng: GREEN.lng + 0.07 })).toEqual(['City', 'Park', 'Other'])
    expect(await titlesAt(GREEN)).toEqual(['City', 'Other'])
    expect(await titlesAt({ ...GREEN, lng: GREEN.lng + 0.12 })).toEqual(['Park', 'Other'])
  })

  it('are present on both sides of the antimeridian if the area is cut there (RFC 7946)', async () => {
    const east = square({ lng: 179, lat: -18 }, 1).coordinates
    const west = square({ lng: -179, lat: -18 }, 1).coordinates
    await organizationIn('Fiji', { type: 'MultiPolygon', coordinates: [east, west] })

    expect(await titlesAt({ lng: 179.9, lat: -18 })).toEqual(['Fiji', 'Other'])
    expect(await titlesAt({ lng: -179.9, lat: -18 })).toEqual(['Fiji', 'Other'])
    expect(await titlesAt({ lng: 180, lat: -18 })).toEqual(['Fiji', 'Other'])
    expect(await titlesAt({ lng: 177.9, lat: -18 })).toEqual(['Other'])
  })

  it('leave out an inactive type, which still has its own URL', async () => {
    const id = await organizationIn('Snow', square(GREEN))
    await app.db.prisma.requestType.update({ where: { id }, data: { active: false } })

    expect(await titlesAt(GREEN)).toEqual(['Other'])
    expect((await app.as.anonymous.get(`/request_types/${id}`)).status).toBe(200)
  })
})

describe('the type other in GET /issues/new', () => {
  it('is listed once, even if a community type is called Other', async () => {
    await app.create.requestType({ title: ' OTHER ' })

    const { body } = await app.as.anonymous.get(`/issues/new?lat=${GREEN.lat}&lng=${GREEN.lng}`)

    expect(body).toMatchObject({ request_types: [{ title: 'Other', id: null, is_other: true }] })
  })

  it('is listed with the types of an organisation', async () => {
    await organizationIn('Other', square(GREEN))

    expect(await titlesAt(GREEN)).toEqual(['Other', 'Other'])
  })
})
