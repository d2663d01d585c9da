/** Memory that the thread of the engine and the thread that watches it share. */
export interface SharedDeadline {
  /** The time in milliseconds since 1970 at which the running statement is cancelled; 0 while none runs or none is limited. */
  readonly deadline: BigInt64Array
  /** The watching thread waits on it, and no one wakes it. */
  readonly sleep: Int32Array
}

/** The name of the global function that cancels the running statement. */
export const CANCEL = 'cancelFixpointStatement'
