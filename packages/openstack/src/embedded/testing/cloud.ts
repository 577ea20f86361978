import { jsonRoundTrip, seededRandom, VirtualClock } from "@pilothouse/seams"
import type { CloudFixture } from "../../clients/testing/cloud-fixture.ts"
import { EmbeddedOpenStack, type EmbeddedOpenStackOptions } from "../embedded-open-stack.ts"

export interface TestCloud extends CloudFixture {
  readonly clock: VirtualClock
  readonly embedded: EmbeddedOpenStack
}

/** An embedded cloud in virtual time, over a transport that makes JSON of every body. */
export function testCloud(options: Partial<EmbeddedOpenStackOptions> = {}): TestCloud {
  const clock = new VirtualClock()
  const embedded = new EmbeddedOpenStack({
    clock,
    random: seededRandom(1),
    ...options,
    knobs: { hosts: ["node1", "node2"], ...options.knobs },
  })
  const { seed } = embedded
  return {
    clock,
    embedded,
    access: embedded.access(),
    connect: (url) => jsonRoundTrip(embedded.connect(url)),
    place: { ...seed, host: "node1" },
    run: async (work) => (await clock.run(work())) as never,
  }
}
