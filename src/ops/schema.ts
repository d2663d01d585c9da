import Type from 'typebox'

import { PageQuery } from '../http/lists/pagination.ts'
import { nullable, NullableTimestamp, oneOf, Timestamp } from '../http/schema/fields.ts'

const Status = oneOf(['ok', 'alarm'], { examples: ['ok'] })
const Count = nullable(Type.Integer({ minimum: 0 }), { examples: [0] })
const Seconds = nullable(Type.Integer({ minimum: 0 }), { examples: [null] })

const QueueHealth = Type.Object(
  {
    status: Status,
    workers: nullable(Type.Integer({ minimum: 0 }), { description: 'Processes that do its jobs.', examples: [1] }),
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
    is_up: Type.Boolean({ description: 'Whether it takes reads.', examples: [true] }),
    lag_bytes: nullable(Type.Integer({ minimum: 0 }), {
      description: 'How much of the log of the primary it has not replayed yet.',
      examples: [0],
    }),
  },
  { title: 'ReplicaHealth' },
)

/** Null is what could not be asked. */
export const Health = Type.Object(
  {
    status: Status,
    alarms: Type.Array(Type.String(), {
      description: 'What is wrong, as `check: sentence`; empty when all is well.',
      examples: [[]],
    }),
    warnings: Type.Array(Type.String(), {
      description:
        'Settings that keep part of the service from working, such as a missing SMTP_URL. They do not change the status.',
      examples: [[]],
    }),
    checks: Type.Object({
      database: Type.Object({ status: Status }),
      replicas: Type.Record(Type.String(), ReplicaHealth, { examples: [{}] }),
      queue: Type.Object({ status: Status }),
      queues: Type.Record(Type.String(), QueueHealth, { examples: [{}] }),
      effects: Type.Object({ status: Status, pending: Count, oldest_pending_s: Seconds, dead: Count }),
      mails: Type.Object({ status: Status, open: Count, oldest_open_s: Seconds }),
      archive: Type.Object({ status: Status, late_s: nullable(Type.Integer({ minimum: 0 }), { examples: [0] }) }),
    }),
  },
  { title: 'OpsHealth' },
)

const eventId = { examples: [4711], description: 'The id of an event.' }
const Handler = Type.String({ maxLength: 100, description: 'Which effect of the event.', examples: ['send-mails'] })
const LastError = nullable(Type.String(), {
  description: 'Class and message of the last error, without anybody’s data; null where the worker ended by it.',
  examples: ['Error ECONNREFUSED: connect ECONNREFUSED'],
})

export const DeadEffects = Type.Object(
  {
    dead: Type.Array(
      Type.Object(
        {
          event_id: Type.Integer(eventId),
          handler: Handler,
          type: Type.String({ examples: ['comment.added'] }),
          subject_id: Type.Integer({ examples: [4711] }),
          attempts: Type.Integer({ examples: [34] }),
          failures: Type.Integer({ examples: [34] }),
          last_error: LastError,
          happened_at: Timestamp,
          dead_at: Timestamp,
        },
        { title: 'DeadLetter' },
      ),
    ),
    metadata: Type.Object({
      pagination: Type.Object({
        entries: Type.Integer({ examples: [1] }),
        page: Type.Integer({ examples: [1] }),
        per_page: Type.Integer({ examples: [20] }),
        pages: Type.Integer({ examples: [1] }),
      }),
    }),
  },
  { title: 'DeadEffects' },
)
export const DeadQuery = PageQuery

export const RetryParams = Type.Object({
  event_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, ...eventId }),
  handler: Handler,
})
export const Retried = Type.Object(
  {
    event_id: Type.Integer(eventId),
    handler: Handler,
    attempts: Type.Integer({ description: 'How often it has been queued, this time included.', examples: [35] }),
  },
  { title: 'RetriedEffect' },
)

export const TraceParams = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'The id of an event, a Message-ID with or without its brackets and host, or a request id.',
    examples: ['4711'],
  }),
})

const KeptJob = Type.Object(
  {
    id: Type.String({ examples: ['delivery-4711-send-mails-0'] }),
    state: Type.String({ examples: ['completed'] }),
    attempts: Type.Integer({ examples: [1] }),
    finished_at: NullableTimestamp,
    failed_reason: nullable(Type.String(), { examples: [null] }),
  },
  { title: 'KeptJob' },
)
const TracedDelivery = Type.Object(
  {
    handler: Handler,
    queue: nullable(Type.String(), { examples: ['mails'] }),
    status: oneOf(['done', 'pending', 'dead'], { examples: ['done'] }),
    attempts: Type.Integer({ examples: [0] }),
    failures: Type.Integer({ examples: [0] }),
    due_at: Timestamp,
    delivered_at: NullableTimestamp,
    dead_at: NullableTimestamp,
    last_error: LastError,
    jobs: Type.Array(KeptJob, { description: 'Those that the queue still keeps.' }),
  },
  { title: 'TracedDelivery' },
)
const TracedMail = Type.Object(
  {
    message_id: Type.String({ examples: ['0f9c1b7a-6d1e-4f63-9d3b-2a7c5e8b1f40'] }),
    to: nullable(Type.String(), {
      description: 'The address, all but hidden; null where nobody is named.',
      examples: ['a…@e….org'],
    }),
    status: oneOf(['sent', 'given up', 'open'], { examples: ['sent'] }),
    attempts: Type.Integer({ examples: [1] }),
    due_at: NullableTimestamp,
    leased_until: NullableTimestamp,
    sent_at: NullableTimestamp,
    failed_at: NullableTimestamp,
    answer: nullable(Type.String(), { description: 'The last words of the mail server.', examples: ['250 OK'] }),
  },
  { title: 'TracedMail' },
)

export const Trace = Type.Object(
  {
    kind: oneOf(['event', 'mail', 'request'], { examples: ['event'] }),
    id: Type.String({ examples: ['4711'] }),
    events: Type.Array(
      Type.Object(
        {
          id: Type.Integer(eventId),
          type: Type.String({ examples: ['comment.added'] }),
          subject_id: Type.Integer({ examples: [4711] }),
          actor_id: nullable(Type.Integer(), {
            description: 'Null where nobody did it, or where nobody is named.',
            examples: [4711],
          }),
          named: Type.Boolean({
            description: 'False where it is about an anonymous report and you are no Admin.',
            examples: [true],
          }),
          request_id: nullable(Type.String(), { examples: ['b7a1f0c2d9e84b66'] }),
          created_at: Timestamp,
          effects: Type.Array(TracedDelivery),
          mails: Type.Array(TracedMail, { description: 'At most a hundred; of a mail that one alone.' }),
          mails_count: Type.Integer({ examples: [1] }),
        },
        { title: 'TracedEvent' },
      ),
    ),
  },
  { title: 'Trace' },
)
