import { FastifyOtelInstrumentation } from '@fastify/otel'
import { context, INVALID_SPAN_CONTEXT, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider, ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-node'
import { BullMQOtel } from 'bullmq-otel'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { subscribe } from 'node:diagnostics_channel'

import packageJson from '../../package.json' with { type: 'json' }
import { type FinishedStatement, statementName } from '../database/statement-usage.ts'

/** Sends spans of requests, statements, jobs and mails by OTLP. It instruments the apps that are created after it. @param ratio share of the requests */
export function openTracing(endpoint: string, service: string, ratio: number) {
  const provider = new NodeTracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': packageJson.version }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
  })
  provider.register()
  new FastifyOtelInstrumentation({
    registerOnInitialization: true,
    instrumentHooks: false,
    instrumentHandler: false,
    requestHook: (span, request) => void (span.isRecording() && span.setAttributes(attributesOf(request))),
  })
  subscribe('fastify.initialization', (message) => followRequests((message as { fastify: FastifyInstance }).fastify))
  const tracer = trace.getTracer('fixpoint')
  return {
    telemetry: { telemetry: new BullMQOtel({ tracerName: 'fixpoint' }) },
    /** Statements of schedules, which poll, and of requests that are not traced are left out. */
    onStatement({ text, duration_ms }: FinishedStatement): void {
      if (!trace.getActiveSpan()?.isRecording()) return
      const startTime = Date.now() - duration_ms
      tracer
        .startSpan(statementName(text), { kind: SpanKind.CLIENT, startTime, attributes: { 'db.system.name': 'postgresql' } })
        .end()
    },
    traceMail: <Result>(id: string, send: () => Promise<Result>): Promise<Result> =>
      tracer.startActiveSpan('mail', { kind: SpanKind.CLIENT, attributes: { message_id: id } }, (span) =>
        send().finally(() => span.end()),
      ),
    close: () => provider.shutdown(),
  }
}

/** The query may contain credentials. */
function attributesOf({ id, url, params, query, routeOptions }: FastifyRequest) {
  const { id: subject, url_name, place_url = url_name } = { ...(query as object), ...(params as object) } as Record<string, string>
  return {
    ...{ request_id: id, 'url.path': url.split('?')[0] },
    ...(routeOptions.url?.includes('/organizations/:id') ? { organization_id: subject } : {}),
    ...(place_url === undefined ? {} : { place: place_url }),
  }
}

/** Responses name their trace. Socket events of a body leave its context. */
function followRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { traceId, spanId, traceFlags } = request.opentelemetry().span?.spanContext() ?? INVALID_SPAN_CONTEXT
    void reply.header('traceparent', `00-${traceId}-${spanId}-0${traceFlags}`)
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => context.with(request.opentelemetry().context ?? ROOT_CONTEXT, done))
}
