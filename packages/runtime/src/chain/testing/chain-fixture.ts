import type { ConfigMap } from "@pilothouse/api/core/v1"
import { recordingLog, VirtualClock } from "@pilothouse/seams"
import type { Chain, ChainOptions } from "../chain.ts"
import { HandlerChains, type HandlerChainsOptions } from "../handler-chains.ts"
import type { ChainTask } from "../task.ts"
import { TestSource, valueOf } from "./source.ts"

export interface ChainFixture extends AsyncDisposable {
  readonly clock: VirtualClock
  readonly source: TestSource
  readonly chains: HandlerChains
  readonly chain: Chain<ConfigMap>
  /** "add shop/a=1": what the last handler of the chain was handled, with the second. */
  readonly handled: string[]
  /** What the first handler throws for an object, while there is an entry. */
  readonly failing: Map<string, Error>
  readonly tries: string[]
  readonly counted: string[]
  stop(): Promise<void>
}

/** A chain of two handlers, the first of which fails where the test says so, at a source that a test feeds by hand. */
export async function chainFixture(
  options: Partial<HandlerChainsOptions & ChainOptions<ConfigMap>> = {},
  read = true,
): Promise<ChainFixture> {
  const clock = new VirtualClock()
  const source = new TestSource()
  const [handled, tries, counted]: string[][] = [[], [], []]
  const failing = new Map<string, Error>()
  const chains = new HandlerChains({ name: "test", clock, log: recordingLog().log, ...options })
  const chain = chains.chain(source, { kind: "ConfigMaps", onEvent: (event) => counted!.push(event), ...options })
  const words = (task: ChainTask<ConfigMap>) => `${task.event} ${valueOf(task.object)} @${clock.elapsed() / 1000}`
  chain.append((task) => {
    tries!.push(words(task))
    const error = failing.get(task.object.metadata.name!)
    if (error !== undefined) throw error
  })
  chain.append((task) => void handled!.push(words(task)))
  const stopping = new AbortController()
  const running = chains.run(stopping.signal)
  if (read) source.markSynced()
  await clock.settle()
  const stop = async () => {
    stopping.abort()
    await clock.run(running)
  }
  return { clock, source, chains, chain, handled: handled!, failing, tries: tries!, counted: counted!, stop, [Symbol.asyncDispose]: stop }
}
