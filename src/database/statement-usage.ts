import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import type pg from 'pg'

/** Sums of the statements of a request on a server. The time of a statement excludes the wait for a connection. */
interface StatementUsage {
  readonly request_id: string
  statements: number
  database_ms: number
  pool_wait_ms: number
}

export interface FinishedStatement {
  /** The text has parameters, not their values. */
  readonly text: string
  readonly duration_ms: number
  readonly request_id: string | undefined
}

export const usages = new AsyncLocalStorage<StatementUsage>()

export const createStatementUsage = (request_id: string): StatementUsage => ({
  ...{ request_id, statements: 0, database_ms: 0, pool_wait_ms: 0 },
})

/** Measures the statements of all connections of a pool, also those of Prisma and of transactions, and the waits for a connection. */
export function measurePool(pool: pg.Pool, onStatement?: (statement: FinishedStatement) => void): pg.Pool {
  pool.connect = measured(pool.connect.bind(pool) as Call, (_values, duration_ms, usage) => {
    if (usage) usage.pool_wait_ms += duration_ms
  }) as typeof pool.connect
  return pool.on('connect', (client) => {
    client.query = measured(client.query.bind(client) as Call, ([query], duration_ms, usage) => {
      if (usage) usage.statements++
      if (usage) usage.database_ms += duration_ms
      const text = typeof query === 'string' ? query : ((query as { text?: string }).text ?? '')
      onStatement?.({ text, duration_ms, request_id: usage?.request_id })
    }) as typeof client.query
  })
}

type Call = (...values: unknown[]) => unknown

/** Callbacks get the context of their caller: the pool calls them when another caller gives its connection back. */
function measured(call: Call, record: (values: unknown[], duration_ms: number, usage?: StatementUsage) => void): Call {
  return (...values) => {
    const usage = usages.getStore()
    const began = performance.now()
    const end = () => record(values, performance.now() - began, usage)
    const callback = values.at(-1)
    if (typeof callback === 'function') {
      const resume = (...results: unknown[]) => {
        end()
        ;(callback as Call)(...results)
      }
      return call(...values.slice(0, -1), AsyncResource.bind(resume))
    }
    const result = call(...values)
    if (result instanceof Promise) return result.finally(end)
    // A COPY ends with its stream.
    end()
    return result
  }
}

/** Returns the operation and the first table, such as `SELECT issues`. */
export function statementName(text: string): string {
  const [operation = ''] = /\w+/.exec(text) ?? []
  const [, table = ''] = /\b(?:FROM|INTO|UPDATE)\s+(?:"?public"?\.)?"?(\w+)/i.exec(text) ?? []
  return `${operation.toUpperCase()} ${table}`.trim()
}
