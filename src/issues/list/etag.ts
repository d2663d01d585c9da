import type { FastifyReply, FastifyRequest } from 'fastify'

import packageJson from '../../../package.json' with { type: 'json' }
import type { Queryable } from '../../database/database.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { readEtag, type Validators } from '../../http/caching/conditional.ts'
import { type ListResult, readList, type ListRequest } from './read-list.ts'
import type { ListVersion } from './version.ts'
import { loadListVersion } from './version-loader.ts'
import { type CachedResponse, type Revalidation, revalidate } from '../response-cache.ts'
import {
  formatDependencyIds,
  getDependencyIds,
  parseDependencyIds,
  type EtagDependencies,
  type DependencyIds,
  collectDependencies,
  listSerialized,
} from './etag-dependencies.ts'

/* The ETag of a list is built from its version (docs/adr/0007); a list without a version gets a hash of the response body. */

export interface CachedPage extends CachedResponse {
  readonly dependencyIds: DependencyIds
  /** The time before the list was read. */
  readonly readAt: Date
}

export interface RequestContext {
  readonly reader: Queryable
  readonly request: FastifyRequest
  readonly viewer: Viewer | null
  /** Other values on which the response depends, in addition to the URL, the release, the list and the caller. */
  readonly responseInputs: readonly string[]
}

/**
 * Reads the version of the list if the caller's ETag or the cached page names its dependencies, and returns which of the two is current
 * (`revalidate`). Returns `stale` if it names none, so that the list must be read.
 */
export async function checkListVersion(
  request: FastifyRequest,
  reply: FastifyReply,
  parseRequest: () => Promise<RequestContext & { readonly listRequest: ListRequest }>,
  cached?: CachedPage,
): Promise<Revalidation> {
  const ids = cached?.dependencyIds ?? parseDependencyIds(readEtag(request)?.etagSuffix)
  if (!ids) return 'stale'
  const { listRequest, ...context } = await parseRequest()
  const found = await loadListVersion(context.reader, listRequest.area, context.viewer, ids)
  if (!found) return 'stale'
  const validators = toValidators(context, listRequest, found.version, found.dependencies)
  return revalidate(request, reply, validators, cached)
}

/** The ids are those of the rows that the ETag depends on; a route stores them with the page that it caches. */
type ListValidators = Validators & { readonly dependencyIds?: DependencyIds }

/** Reads a list with its validators, which are read before the page or in the same snapshot. */
export async function readListWithValidators(
  listRequest: ListRequest,
  context: RequestContext,
): Promise<
  ListResult & {
    readonly createValidators: (...rows: Parameters<typeof collectDependencies>) => ListValidators
  }
> {
  const result = await readList(context.reader, listRequest, context.viewer)
  const { version } = result
  return {
    ...result,
    // A list without a version gets no validators here, so its body is hashed.
    createValidators: (users, requestTypes) => {
      const dependencies = version && collectDependencies(users, requestTypes)
      return dependencies
        ? { ...toValidators(context, listRequest, version, dependencies), dependencyIds: getDependencyIds(dependencies) }
        : {}
    },
  }
}

const toValidators = (
  { request, responseInputs }: RequestContext,
  listRequest: ListRequest,
  version: ListVersion,
  dependencies: EtagDependencies,
): Validators => ({
  etagParts: [
    request.url,
    packageJson.version,
    ...responseInputs,
    JSON.stringify([listRequest, version]),
    ...listSerialized(dependencies),
  ],
  etagSuffix: formatDependencyIds(dependencies),
})
