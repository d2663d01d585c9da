import { EndpointRefusal } from '../georeport/endpoint-error.ts'
import { FinalDeliveryError } from '../outbox/final-delivery-error.ts'

/** Returns the error to throw after a delivery: a final one if the endpoint responded one of the statuses. */
export const finalIfRefused = (error: unknown, statuses: ReadonlySet<number>): unknown =>
  error instanceof EndpointRefusal && statuses.has(error.status) ? new FinalDeliveryError(error.message, { cause: error }) : error
