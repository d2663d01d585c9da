import type { FastifyReply, FastifyRequest } from 'fastify'

import packageJson from '../../../package.json' with { type: 'json' }
import type { Queryable } from '../../database/database.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { etagDependencies, toEtag, isFresh, isFreshBeforeRead, type Validators } from '../../http/caching/conditional.ts'
import { type ReadList, readList, type ListQuery } from './read-list.ts'
import type { ListVersion } from './version.ts'
import { loadListVersion } from './version-loader.ts'
import type { StoredResponse } from '../response-cache.ts'
import {
  formatDependencyIds,
  getDependencyIds,
  parseDependencyIds,
  type EtagDependencies,
  type DependencyIds,
  collectDependencies,
  listDependencyTexts,
} from './etag-dependencies.ts'

/**
 * The ETag of a list (docs/adr/0005) consists of the change counts of the area's cells, its border, the caller, and the visible
 * users and request types. A list without a version gets a digest of the response body.
 */

export interface StoredPage extends StoredResponse {
  readonly dependencyIds: DependencyIds
  /** It is null if the list has no Last-Modified. */
  readonly lastModified: string | null
}

export interface RequestContext {
  readonly reader: Queryable
  readonly request: FastifyRequest
  readonly viewer: Viewer | null
  /** Other values on which the response depends, besides the URL, the release, the list and the caller. */
  readonly responseInputs: readonly string[]
}

/**
 * Checks the version of a list before the list is read. Returns `not modified` if the caller's ETag is current and `stored` if the
 * cached page is, and sets the validators. Returns undefined if the list must be read, as without a usable ETag and without a
 * cached page.
 * @param parseQuery parses the query
 */
export async function checkListVersion(
  request: FastifyRequest,
  reply: FastifyReply,
  parseQuery: () => Promise<RequestContext & { readonly query: ListQuery }>,
  stored?: StoredPage,
): Promise<'not modified' | 'stored' | undefined> {
  const ids = stored?.dependencyIds ?? parseDependencyIds(etagDependencies(request))
  if (!ids) return undefined
  const { query, ...context } = await parseQuery()
  const current = await loadListVersion(context.reader, query.area, context.viewer, ids)
  if (!current) return undefined
  const validators = {
    ...toValidators(context, query, current.version, current.dependencies),
    lastModified: stored?.lastModified ?? null,
  }
  const isStored = stored !== undefined && stored.etag === toEtag(request, validators)
  if (stored && !isStored) return undefined
  if (isFreshBeforeRead(request, reply, validators)) return 'not modified'
  if (isStored) isFresh(request, reply, validators)
  return isStored ? 'stored' : undefined
}

/** Reads a list with its validators, which are read before the page or in the same snapshot. */
export async function readListWithValidators(
  query: ListQuery,
  context: RequestContext,
): Promise<
  ReadList & {
    readonly createValidators: (
      ...rows: Parameters<typeof collectDependencies>
    ) => Validators & { readonly dependencyIds?: DependencyIds }
  }
> {
  const list = await readList(context.reader, query, context.viewer)
  const { version } = list
  return {
    ...list,
    // A list without a version gets no validators here, so its body is hashed.
    createValidators: (people, types) => {
      const dependencies = version && collectDependencies(people, types)
      return dependencies
        ? { ...toValidators(context, query, version, dependencies), dependencyIds: getDependencyIds(dependencies) }
        : {}
    },
  }
}

const toValidators = (
  { request, responseInputs }: RequestContext,
  query: ListQuery,
  version: ListVersion,
  dependencies: EtagDependencies,
): Validators => ({
  etag: [
    request.url,
    packageJson.version,
    ...responseInputs,
    JSON.stringify([query, version]),
    ...listDependencyTexts(dependencies),
  ],
  dependencies: formatDependencyIds(dependencies),
})
