/** Warm-up of both sides of a row. Afterwards connections are open, plans are cached and Node has compiled hot code. */
export const WARM_UP_SECONDS = 2

/** Warm-up of a new web process, which takes longer to compile its code on a slow machine. */
export const SERVER_WARM_UP_SECONDS = 15
