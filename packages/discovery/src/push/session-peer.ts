/** The client's end of a session. */
export interface SessionPeer {
  /** Hands bytes to the client; `done` when they have left. */
  write(bytes: Buffer, done: () => void): void
  /** What is to be told could not be made: a fault of ours, by which this session is over. */
  broken(error: unknown): void
}
