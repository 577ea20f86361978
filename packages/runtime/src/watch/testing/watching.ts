import { expect } from "vitest"
import { type InformerFixture, inconsistency, informerFixture } from "../../testing/informer-fixture.ts"

/** "stream", "list@0/500", "watch@7": the requests, in short. */
export function requestsOf({ api }: InformerFixture): readonly string[] {
  return api.requests.map(({ kind, query: { resourceVersion = "", limit = "", continue: token } }) => {
    const page = token === undefined ? "" : "+"
    return `${kind}${page}${resourceVersion === "" ? "" : `@${resourceVersion}`}${limit === "" ? "" : `/${limit}`}`
  })
}

/** The store equals the server's state, and the handler received a consistent history. */
export function expectTruth({ api, informer, seen }: InformerFixture): void {
  expect(new Map(informer.store.list().map((object) => [`${object.metadata.namespace}/${object.metadata.name}`, object]))).toEqual(
    api.truth(),
  )
  expect(inconsistency(seen, informer.store.list())).toBeUndefined()
}

/** Advances the clock until the watch ends as agreed. Without failures the next one is open then. */
export async function untilWatchEnds({ clock, events }: InformerFixture): Promise<void> {
  const ended = () => events.filter(({ type }) => type === "disconnected").length
  const before = ended()
  await clock.run(() => ended() > before)
}

export async function startedWith(names: readonly string[], options: Parameters<typeof informerFixture>[0] = {}): Promise<InformerFixture> {
  const fixture = informerFixture(options)
  for (const name of names) fixture.api.put(name)
  await fixture.start()
  return fixture
}
