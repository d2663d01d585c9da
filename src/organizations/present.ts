import { mayIn } from '../http/identity/capabilities.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import type { Urls } from '../http/request/urls.ts'
import { type Language, languageOf } from '../locales/texts.ts'
import type { ListedOrganizationRow, OrganizationDetailsRow } from './public-queries.ts'
import type { ListedOrganization, Organization, OrganizationSettings } from './schema.ts'

export function toListedOrganization(row: ListedOrganizationRow, urls: Urls, language: Language): ListedOrganization {
  const { id, west, south, east, north } = row
  return {
    id,
    name: row.translations?.[language]?.['name'] ?? row.name,
    url: urls.api(`/organizations/${id}`),
    html_url: urls.at(`/organizations/${id}`),
    statistics_url: urls.api(`/organizations/${id}/statistics`),
    bbox: [west, south, east, north],
    request_types: row.request_types.map((type) => ({
      id: type.id,
      title: type.translations?.[language]?.['title'] ?? type.title,
      url: urls.api(`/request_types/${type.id}`),
    })),
  }
}

/** Settings are for members with the capability `manage_content`. */
export function toOrganization(row: OrganizationDetailsRow, urls: Urls, language: Language, viewer: Viewer | null): Organization {
  const { name, hold_everything, guest_reports, shows_people, shows_targets, inbox_email } = row
  const translations = (row.translations ?? {}) as OrganizationSettings['translations']
  return {
    ...toListedOrganization(row, urls, language),
    area: row.area,
    settings: mayIn(viewer, 'manage_content', row.id)
      ? {
          ...{ language: languageOf(row.language), name, translations },
          ...{ hold_everything, guest_reports, shows_people, shows_targets, inbox_email },
        }
      : null,
  }
}
