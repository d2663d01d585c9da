import type { AddressInfo } from 'node:net'

import { trace } from '@opentelemetry/api'
import type { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/connect.ts'
import type { FinishedStatement } from '../../src/database/statement-usage.ts'
import { openLog } from '../../src/process/log.ts'
import { openTracing } from '../../src/process/tracing.ts'
import { openServices } from '../../src/startup/open-services.ts'

/**
 * The service twice in one process, without and with tracing: two processes of equal code differ by several percent. After each message it ends
 * what the requests before it have left, spans that wait and young garbage, and returns the milliseconds of processor time of the process.
 */
const config = readConfig(process.env)
const log = openLog('warn')
const observer: { onStatement?: (statement: FinishedStatement) => void } = {}
const { database } = await connect(config, {
  activity: 'the benchmark',
  say: () => undefined,
  onStatement: (statement) => observer.onStatement?.(statement),
})
const services = await openServices({ config, db: database, log, servedUrl: () => '' })

async function serve(): Promise<string> {
  const app = await buildApp(services)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

const without = await serve()
// It instruments the apps that are created after it.
Object.assign(observer, openTracing(config.otlpEndpoint ?? '', 'fixpoint-bench', config.tracesRatio))
const traced = await serve()
const { getDelegate } = trace.getTracerProvider() as unknown as { getDelegate(this: unknown): NodeTracerProvider }
const provider = getDelegate.call(trace.getTracerProvider())

process.on('message', () => {
  void provider
    .forceFlush()
    .then(() => gc?.({ type: 'minor', execution: 'sync' }))
    .then(() => {
      const { user, system } = process.cpuUsage()
      process.send?.((user + system) / 1_000)
    })
})
process.on('disconnect', () => process.exit())
process.send?.({ without, traced })
