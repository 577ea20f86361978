import { PilothouseError } from "@pilothouse/seams"
import type { Play } from "@pilothouse/testing"
import type { Connect } from "../../clients/calls/keystone.ts"
import type { TestCluster } from "./cluster.ts"

/** The scenario, with the handlers killed at one of their calls to the cloud: from then on the dead process gets nothing through. */
export function crashPlay(
  make: (layer: (inner: Connect) => Connect) => Promise<TestCluster>,
  scenario: (run: TestCluster) => Promise<unknown>,
): Play {
  return async (crash) => {
    const calls: string[] = []
    const made = Promise.withResolvers<TestCluster>()
    let restarted: Promise<void> | undefined
    const layer = (inner: Connect): Connect => {
      let dead = false
      const die = (): PilothouseError => {
        if (!dead) restarted = made.promise.then(({ cluster }) => cluster.restartControllers())
        dead = true
        return new PilothouseError("CONNECTION_LOST", "the process crashed")
      }
      return (url) => {
        const transport = inner(url)
        return async (request) => {
          const call = calls.push(`${request.verb} ${request.path}`) - 1
          if (dead || (call === crash?.call && crash.moment === "before")) throw die()
          const answer = await transport(request)
          if (dead || call === crash?.call) throw die()
          return answer
        }
      }
    }
    await using run = await make(layer)
    made.resolve(run)
    try {
      return { end: await scenario(run), calls }
    } finally {
      // Handlers that start while the cluster closes would outlive it.
      await restarted
    }
  }
}
