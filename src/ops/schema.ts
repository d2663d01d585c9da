import Type, { type TSchema } from 'typebox'

import { PageMetadata, PageQuery } from '../http/lists/pagination.ts'
import { nullable, NullableTimestamp, stringEnum, Timestamp } from '../http/schema/fields.ts'

/** A response that is a page for `Accept: text/html`. */
export const pageOr = <Schema extends TSchema>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema }, 'text/html': { schema: Type.String({ examples: ['<!doctype html>'] }) } },
})

const Status = stringEnum(['ok', 'alarm'], { examples: ['ok'] })
const Count = nullable(Type.Integer({ minimum: 0 }), { examples: [0] })
const Seconds = nullable(Type.Integer({ minimum: 0 }), { examples: [null] })

const QueueHealth = Type.Object(
  {
    status: Status,
    workers: nullable(Type.Integer({ minimum: 0 }), { description: 'Processes that run its jobs.', examples: [1] }),
    without_worker_s: nullable(Type.Integer({ minimum: 0 }), { examples: [0] }),
    waiting: Count,
    active: Count,
    failed: Count,
    oldest_waiting_s: Seconds,
  },
  { title: 'QueueHealth' },
)

const ReplicaHealth = Type.Object(
  {
    status: Status,
    is_up: Type.Boolean({ description: 'Whether it serves reads.', examples: [true] }),
    lag_bytes: nullable(Type.Integer({ minimum: 0 }), {
      description: 'Size of the part of the write-ahead log that it has not replayed yet.',
      examples: [0],
    }),
  },
  { title: 'ReplicaHealth' },
)

/** A value is null if its source did not answer. */
export const Health = Type.Object(
  {
    status: Status,
    alarms: Type.Array(Type.String(), {
      description: 'What is wrong, as `check: sentence`; empty if all checks pass.',
      examples: [[]],
    }),
    warnings: Type.Array(Type.String(), {
      description:
        'What keeps part of the service from working, such as a missing SMTP_URL, or an Open311 endpoint without answers. They do not change the status.',
      examples: [[]],
    }),
    checks: Type.Object({
      database: Type.Object({ status: Status }),
      replicas: Type.Record(Type.String(), ReplicaHealth, { examples: [{}] }),
      servers: Type.Record(Type.String(), Type.Object({ status: Status }), {
        description: '`storage`, `mail_server` and `geocoder`, if they are set and were asked.',
        examples: [{}],
      }),
      queue: Type.Object({ status: Status }),
      queues: Type.Record(Type.String(), QueueHealth, { examples: [{}] }),
      outbox: Type.Object({ status: Status, pending: Count, oldest_pending_s: Seconds, dead_letters: Count }),
      mails: Type.Object({ status: Status, pending: Count, oldest_pending_s: Seconds }),
      archive: Type.Object({ status: Status, late_s: nullable(Type.Integer({ minimum: 0 }), { examples: [0] }) }),
    }),
  },
  { title: 'OpsHealth' },
)

const eventId = { examples: [4711], description: 'The id of an event.' }
const Handler = Type.String({ maxLength: 100, description: 'The handler of the delivery.', examples: ['notify'] })
const Requeues = {
  description:
    'Times that `dispatch-outbox` or a retry by hand queued the delivery; the first job after the commit does not count.',
}
const Starts = { description: 'Starts that have not succeeded; 34 make a dead letter.' }
const LastError = nullable(Type.String(), {
  description: 'Class and message of the last error, without personal data; null if the worker process crashed.',
  examples: ['Error ECONNREFUSED: connect ECONNREFUSED'],
})

export const DeadLetters = Type.Object(
  {
    dead_letters: Type.Array(
      Type.Object(
        {
          event_id: Type.Integer(eventId),
          handler: Handler,
          type: Type.String({ examples: ['comment.added'] }),
          subject_id: Type.Integer({ examples: [4711] }),
          requeues: Type.Integer({ ...Requeues, examples: [34] }),
          starts: Type.Integer({ ...Starts, examples: [34] }),
          last_error: LastError,
          happened_at: Timestamp,
          dead_at: Timestamp,
        },
        { title: 'DeadLetter' },
      ),
    ),
    metadata: PageMetadata,
  },
  { title: 'DeadLetters' },
)
export const DeadLettersQuery = PageQuery

export const RetryParams = Type.Object({
  event_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, ...eventId }),
  handler: Handler,
})
export const Retried = Type.Object(
  {
    event_id: Type.Integer(eventId),
    handler: Handler,
    requeues: Type.Integer({ ...Requeues, examples: [35] }),
  },
  { title: 'RetriedDelivery' },
)

export const TraceParams = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 300,
    description:
      'The id of an event, a Message-ID with or without its brackets and host, a request id, an e-mail address, `issue:4711` or `user:4711`.',
    examples: ['4711'],
  }),
})

const StoredJob = Type.Object(
  {
    id: Type.String({ examples: ['delivery-4711-notify-0'] }),
    state: Type.String({ examples: ['completed'] }),
    attempts: Type.Integer({ description: 'Times that a worker ran the job.', examples: [1] }),
    finished_at: NullableTimestamp,
    failed_reason: nullable(Type.String(), { examples: [null] }),
  },
  { title: 'StoredJob' },
)
const TracedDelivery = Type.Object(
  {
    handler: Handler,
    queue: nullable(Type.String(), { examples: ['mails'] }),
    status: stringEnum(['delivered', 'pending', 'dead_letter'], { examples: ['delivered'] }),
    requeues: Type.Integer({ ...Requeues, examples: [0] }),
    starts: Type.Integer({ ...Starts, examples: [0] }),
    due_at: Timestamp,
    delivered_at: NullableTimestamp,
    dead_at: NullableTimestamp,
    last_error: LastError,
    jobs: Type.Array(StoredJob, { description: 'The jobs that the queue still stores.' }),
  },
  { title: 'TracedDelivery' },
)
const TracedMail = Type.Object(
  {
    message_id: Type.String({ examples: ['0f9c1b7a-6d1e-4f63-9d3b-2a7c5e8b1f40'] }),
    to: nullable(Type.String(), {
      description: 'The masked address; null if the trace shows no names.',
      examples: ['a…@e….org'],
    }),
    status: stringEnum(['sent', 'failed', 'pending'], {
      description: 'A mail that was no longer wanted is `failed` with the response `no longer wanted`.',
      examples: ['sent'],
    }),
    attempts: Type.Integer({ description: 'Times that a worker leased the mail to send it.', examples: [1] }),
    due_at: NullableTimestamp,
    leased_until: NullableTimestamp,
    sent_at: NullableTimestamp,
    failed_at: NullableTimestamp,
    response: nullable(Type.String(), {
      description: 'The last reply of the mail server (RFC 5321), or the reason why there is none.',
      examples: ['250 OK'],
    }),
  },
  { title: 'TracedMail' },
)

export const Trace = Type.Object(
  {
    kind: stringEnum(['event', 'mail', 'request', 'issue', 'user', 'address'], { examples: ['event'] }),
    id: Type.String({ examples: ['4711'] }),
    events: Type.Array(
      Type.Object(
        {
          id: Type.Integer(eventId),
          type: Type.String({ examples: ['comment.added'] }),
          subject_id: Type.Integer({ examples: [4711] }),
          actor_id: nullable(Type.Integer(), {
            description: 'Null if the service caused the event, or if the trace shows no names.',
            examples: [4711],
          }),
          named: Type.Boolean({
            description: 'False if the event concerns an anonymous report and you are not an Admin.',
            examples: [true],
          }),
          request_id: nullable(Type.String(), { examples: ['b7a1f0c2d9e84b66'] }),
          created_at: Timestamp,
          deliveries: Type.Array(TracedDelivery),
          mails: Type.Array(TracedMail, { description: 'At most one hundred; for a mail id only that mail.' }),
          mails_count: Type.Integer({ examples: [1] }),
        },
        { title: 'TracedEvent' },
      ),
    ),
  },
  { title: 'Trace' },
)
