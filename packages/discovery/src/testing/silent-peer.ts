import type { SessionPeer } from "../session/session.ts"

/** The end of a client that nobody looks at; a fault is the test's. */
export const silentPeer: SessionPeer = {
  write: () => undefined,
  broken: (error) => {
    throw error
  },
}
