import type { ApiResponse, Client } from '../helpers/client.ts'

type Write = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<ApiResponse>

export function createWriteClient({ get, send }: Client): { get: Client['get']; post: Write; put: Write; delete: Write } {
  const by =
    (method: 'POST' | 'PUT' | 'DELETE'): Write =>
    (path, body, headers = {}) =>
      send(method, `/api/v2${path}`, { headers, body })
  return { get, post: by('POST'), put: by('PUT'), delete: by('DELETE') }
}
