import { expect } from 'vitest'

import type { Issue } from '../../src/issues/schema.ts'
import type { ApiResponse, Client } from './client.ts'

export interface Pagination {
  readonly entries: number
  readonly page: number
  readonly per_page: number
  readonly pages: number
  readonly next_page: number | null
  readonly next_page_url: string | null
  readonly previous_page: number | null
  readonly previous_page_url: string | null
}

interface IssueList<Item> {
  readonly issues: readonly Item[]
  readonly pagination: Pagination
}

/** Returns the list of a response, which must be 200. */
export function parseIssueList<Item = Issue>(answer: ApiResponse): IssueList<Item> {
  expect(answer.status, answer.text).toBe(200)
  const { issues, metadata } = answer.body as { issues: Item[]; metadata: { pagination: Pagination } }
  return { issues, pagination: metadata.pagination }
}

/** Returns the URL of a next page without its cursor, which must be there and short. */
export function withoutCursor(address: string | null | undefined): string | null {
  expect(address).toMatch(/[?&]cursor=[\w-]{30,150}&/)
  return address?.replace(/cursor=[\w-]+&/, '') ?? null
}

/** Returns the cursor in the URL of a next page, or an empty text. */
export function readCursor(address: string | null | undefined): string {
  return new URL(address ?? '').searchParams.get('cursor') ?? ''
}

export type Parameters = Readonly<Record<string, string | number>>

export function issuesUrl(parameters: Parameters, path = '/issues'): string {
  const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
  return `${path}?${query.toString()}`
}

export async function fetchTitles(client: Client, parameters: Parameters): Promise<string[]> {
  return parseIssueList(await client.get(issuesUrl(parameters))).issues.map(({ summary }) => summary)
}

/** Returns the ids of all pages in order, and the totals of the first page. */
export async function fetchAllIds(client: Client, parameters: Parameters, perPage = 100) {
  const first = parseIssueList(await client.get(issuesUrl({ ...parameters, per_page: perPage })))
  const ids = first.issues.map(({ id }) => id)
  for (let page = 2; page <= first.pagination.pages; page++) {
    const { issues } = parseIssueList(await client.get(issuesUrl({ ...parameters, per_page: perPage, page })))
    ids.push(...issues.map(({ id }) => id))
  }
  return { ids, entries: first.pagination.entries, pages: first.pagination.pages }
}
