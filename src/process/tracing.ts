import { FastifyOtelInstrumentation } from '@fastify/otel'
import { context, SpanKind, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import { BullMQOtel } from 'bullmq-otel'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { subscribe } from 'node:diagnostics_channel'

import packageJson from '../../package.json' with { type: 'json' }
import { type FinishedStatement, statementName } from '../database/statement-usage.ts'
import { loggedPath } from '../environment/logged-path.ts'

/** Sends spans of requests, statements, jobs and mails by OTLP. It instruments the apps that are created after it. @param ratio share of the requests */
export function openTracing(endpoint: string, service: string, ratio: number) {
  const chosen = { decision: SamplingDecision.RECORD_AND_SAMPLED }
  const some = new TraceIdRatioBasedSampler(ratio)
  const provider = new NodeTracerProvider({
    sampler: new ParentBasedSampler({
      root: { shouldSample: (parent, id, _name, kind) => (kind === SpanKind.SERVER ? chosen : some.shouldSample(parent, id)) },
    }),
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': packageJson.version }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
  })
  provider.register()
  // Requests are chosen before their spans begin, since a span that is not sampled also costs two percent.
  let isLeftOut = false
  subscribe('fastify.initialization', (message) => {
    const { fastify: app } = message as { fastify: FastifyInstance }
    app.addHook('onRequest', ({ headers: { traceparent } }, _reply, done) => {
      isLeftOut = traceparent === undefined ? Math.random() >= ratio : !/[13579bdf]$/.test(String(traceparent))
      // The hook of the instrumentation follows at once.
      done()
    })
    app.addHook('preValidation', continueTrace)
  })
  new FastifyOtelInstrumentation({
    registerOnInitialization: true,
    instrumentHooks: false,
    instrumentHandler: false,
    ignorePaths: () => isLeftOut,
    requestHook: (span, request) => void span.setAttributes(attributesOf(request)),
  })
  const tracer = trace.getTracer('fixpoint')
  return {
    telemetry: { telemetry: new BullMQOtel({ tracerName: 'fixpoint' }) },
    /** Statements of schedules, which poll, and of requests that are not traced are left out. */
    onStatement({ text, duration_ms }: FinishedStatement): void {
      if (!trace.getActiveSpan()?.isRecording()) return
      const attributes = { 'db.system.name': 'postgresql' }
      tracer.startSpan(statementName(text), { kind: SpanKind.CLIENT, startTime: Date.now() - duration_ms, attributes }).end()
    },
    traceMail: <Result>(id: string, send: () => Promise<Result>): Promise<Result> =>
      tracer.startActiveSpan('mail', { kind: SpanKind.CLIENT, attributes: { message_id: id } }, (span) =>
        send().finally(() => span.end()),
      ),
    close: () => provider.shutdown(),
  }
}

function attributesOf({ id, url, params, query, routeOptions }: FastifyRequest) {
  const { id: subject, url_name, place_url = url_name } = { ...(query as object), ...(params as object) } as Record<string, string>
  return {
    ...{ request_id: id, 'url.path': loggedPath(url) },
    ...(routeOptions.url?.includes('/organizations/:id') ? { organization_id: subject } : {}),
    ...(place_url === undefined ? {} : { place: place_url }),
  }
}

/** Responses name their trace. Socket events of a body leave its context. */
function continueTrace(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { span, context: own } = request.opentelemetry()
  if (!span || !own) return done()
  const { traceId, spanId } = span.spanContext()
  void reply.header('traceparent', `00-${traceId}-${spanId}-01`)
  context.with(own, done)
}
