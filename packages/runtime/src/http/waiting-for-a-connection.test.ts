import { VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { get, testConnections } from "./testing/connections.ts"
import { testListener } from "./testing/listener.ts"

const { connected, opened } = testConnections()

describe("while a request waits for a connection", () => {
  /** Takes connections and says nothing: no handshake, no answer to CONNECT. */
  async function silent(): Promise<{ port: number; taken: Promise<void> }> {
    const taken = Promise.withResolvers<void>()
    const listener = await testListener(() => taken.resolve())
    opened(listener)
    return { port: listener.port, taken: taken.promise }
  }

  const peers: readonly (readonly [string, (port: number) => { server: string; proxy?: string }])[] = [
    ["a peer that never shakes hands", (port) => ({ server: `https://127.0.0.1:${port}` })],
    ["a proxy that never answers", (port) => ({ server: "https://127.0.0.1:1", proxy: `http://127.0.0.1:${port}` })],
  ]
  describe.each(peers)("%s", (_, connectionTo) => {
    test("its signal ends it", async () => {
      const { port, taken } = await silent()
      const stop = new AbortController()
      const asked = connected(connectionTo(port))({ ...get, signal: stop.signal })
      await taken
      stop.abort()
      await expect(asked).rejects.toMatchObject({ code: "ABORTED" })
    })

    test("no answer in time is CONNECTION_LOST", async () => {
      const clock = new VirtualClock()
      const { port, taken } = await silent()
      const asked = connected(connectionTo(port), { clock })(get).catch((error: unknown) => error)
      await taken
      await clock.advance("90s")
      expect(await asked).toMatchObject({ code: "CONNECTION_LOST", message: expect.stringContaining("was not answered within 90000 ms") })
    })

    test("the time for a connection is one for its handshake, too", async () => {
      const { port } = await silent()
      const asked = connected(connectionTo(port), { clock: new VirtualClock(), connectTimeout: 50 })(get)
      await expect(asked).rejects.toMatchObject({ code: "CONNECTION_LOST" })
    })
  })
})
