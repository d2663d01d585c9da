import { UnrecoverableError } from 'bullmq'
import { Value } from 'typebox/value'

import { isJobName, jobs, type JobName, type Payload } from '../src/queue/contracts.ts'
import { handlers } from './handlers/handlers.ts'
import type { JobServices } from './handlers/services.ts'
import { redactError } from './handlers/redact-error.ts'

/**
 * Runs one job. Errors are stored with the job and shown on the dashboard, so they are redacted.
 * @throws UnrecoverableError if the payload does not match the contract, because a retry cannot succeed
 */
export async function runJob(name: string, payload: unknown, services: JobServices, stopping: AbortSignal): Promise<void> {
  try {
    // An ordinary error allows a retry: during a deployment another worker may know the job.
    if (!isJobName(name)) throw new Error(`There is no job named ${name}`)
    await handle(name, payload, services, stopping)
  } catch (error) {
    throw redactError(error)
  }
}

async function handle<Name extends JobName>(name: Name, payload: unknown, services: JobServices, stopping: AbortSignal) {
  const schema = jobs[name].payload
  if (!Value.Check(schema, payload)) {
    const places = Value.Errors(schema, payload).map((error) => error.instancePath || '/')
    throw new UnrecoverableError(`The payload of ${name} does not fit its contract at ${places.join(', ')}`)
  }
  await handlers[name](payload as Payload<Name>, services, stopping)
}
