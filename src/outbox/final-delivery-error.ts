/** A handler throws it if repeating the delivery would fail again: the delivery becomes a dead letter at once. */
export class FinalDeliveryError extends Error {
  override name = 'FinalDeliveryError'
}
