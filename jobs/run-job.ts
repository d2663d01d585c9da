import { UnrecoverableError } from 'bullmq'
import { Value } from 'typebox/value'

import { isJobName, jobDefinitions, type JobName, type Payload } from '../src/queue/job-definitions.ts'
import { jobHandlers } from './handlers/job-handlers.ts'
import type { JobServices } from './handlers/services.ts'
import { redactError } from './handlers/redact-error.ts'

/** Errors are redacted, because the dashboard shows them. @throws UnrecoverableError if the payload does not match its schema */
export async function runJob(name: string, payload: unknown, services: JobServices, signal: AbortSignal): Promise<void> {
  try {
    // An ordinary error lets the next scheduled run repeat it: during a deployment another worker may know the job.
    if (!isJobName(name)) throw new Error(`There is no job named ${name}`)
    await validateAndHandle(name, payload, services, signal)
  } catch (error) {
    throw redactError(error)
  }
}

async function validateAndHandle<Name extends JobName>(name: Name, payload: unknown, services: JobServices, signal: AbortSignal) {
  const schema = jobDefinitions[name].payload
  if (!Value.Check(schema, payload)) {
    const paths = Value.Errors(schema, payload).map((error) => error.instancePath || '/')
    throw new UnrecoverableError(`The payload of ${name} does not match its schema at ${paths.join(', ')}`)
  }
  await jobHandlers[name](payload as Payload<Name>, services, signal)
}
