/** What may end a sleep early, and its name. */
export interface SleepOptions {
  readonly signal?: AbortSignal
  /** The name of the wait, for the message of a stuck test. */
  readonly name?: string
}

/**
 * Time, passed in and never reached for.
 *
 * Promises: timers fire in order of their due time (to the millisecond), and in order of creation where that is equal;
 * none fires inside the call that made it; a disposed timer never fires; what promises one timer settles is done before the next fires.
 * Every wait is a finite number of milliseconds (else INVALID); a negative one is as good as 0.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970; may jump. For what is written into objects. */
  now(): number
  /** Milliseconds since an arbitrary start; never goes back. For durations and deadlines. */
  elapsed(): number
  /** Rejects with code ABORTED when the signal ends it. */
  sleep(milliseconds: number, options?: SleepOptions): Promise<void>
  timer(milliseconds: number, name: string, fire: () => void): Disposable
  /** Marks work outside virtual time (a socket, the thread pool): virtual time stands still until it is over. */
  external<T>(work: Promise<T>, name: string): Promise<T>
}
