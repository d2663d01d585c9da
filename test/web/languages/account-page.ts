import type { PageResponse } from '../../helpers/browser.ts'
import type { LanguageScenario } from './scenario.ts'

export type AccountPage = readonly [name: string, load: (scenario: LanguageScenario) => Promise<PageResponse>]
type Viewer = keyof LanguageScenario['browsers']

export const get = (viewer: Viewer, path: string): AccountPage => [
  `${path} as ${viewer}`,
  ({ browsers }) => browsers[viewer].get(path),
]
export const post = (
  viewer: Viewer,
  path: string,
  fields: Record<string, string>,
  headers?: Record<string, string>,
): AccountPage => [`POST ${path} as ${viewer}`, ({ browsers }) => browsers[viewer].post(path, fields, headers)]
