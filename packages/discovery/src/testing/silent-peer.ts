import type { SessionPeer } from "../session/session.ts"

/** The end of a client whose responses are not read; a fault fails the test. */
export const silentPeer: SessionPeer = {
  write: () => undefined,
  broken: (error) => {
    throw error
  },
}
